// Everything of the public interface.
#pragma once

#include "tensorgrad/base/error.h"
#include "tensorgrad/data/batches.h"
#include "tensorgrad/data/idx.h"
#include "tensorgrad/data/image.h"
#include "tensorgrad/io/array.h"
#include "tensorgrad/io/safetensors.h"
#include "tensorgrad/nn/nn.h"
#include "tensorgrad/nn/state_update.h"
#include "tensorgrad/ops/ops.h"
#include "tensorgrad/optim/adam.h"
#include "tensorgrad/optim/schedule.h"
#include "tensorgrad/optim/sgd.h"
#include "tensorgrad/runtime/compile.h"
#include "tensorgrad/transform/grad.h"

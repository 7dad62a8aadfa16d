// All operators: the public functions on tensors.
#pragma once

#include "tensorgrad/ops/attention.h"
#include "tensorgrad/ops/build.h"
#include "tensorgrad/ops/conv.h"
#include "tensorgrad/ops/custom.h"
#include "tensorgrad/ops/elementwise.h"
#include "tensorgrad/ops/indexing.h"
#include "tensorgrad/ops/linalg.h"
#include "tensorgrad/ops/loss.h"
#include "tensorgrad/ops/norm.h"
#include "tensorgrad/ops/pool.h"
#include "tensorgrad/ops/random.h"
#include "tensorgrad/ops/reduce.h"
#include "tensorgrad/ops/softmax.h"
#include "tensorgrad/ops/views.h"

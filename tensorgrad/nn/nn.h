// All layers.
#pragma once

#include "tensorgrad/nn/attention.h"
#include "tensorgrad/nn/conv.h"
#include "tensorgrad/nn/dropout.h"
#include "tensorgrad/nn/embedding.h"
#include "tensorgrad/nn/linear.h"
#include "tensorgrad/nn/module.h"
#include "tensorgrad/nn/norm.h"
#include "tensorgrad/nn/parameter.h"

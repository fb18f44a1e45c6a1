// Everything a user needs.
#pragma once

#include "weft/array.hpp"
#include "weft/distribution.hpp"
#include "weft/error.hpp"
#include "weft/explain.hpp"
#include "weft/index.hpp"
#include "weft/layout.hpp"
#include "weft/machine.hpp"
#include "weft/memory.hpp"
#include "weft/plan.hpp"
#include "weft/problem.hpp"
#include "weft/redistribution.hpp"
#include "weft/timeline.hpp"
#include "weft/types.hpp"
#include "weft/version.hpp"
#include "weft/wisdom.hpp"

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ranks.hpp"
#include "settings.hpp"

namespace weft::tool {

/// Collective; all return the exit code and throw usage_error on every rank alike.
int run(const run_settings& asked, const ranks& all);
int tune(const tune_settings& asked, const ranks& all);
int bench(const bench_settings& asked, const ranks& all);
int info(const info_settings& asked, const ranks& all);
int explain_plan(const plan_settings& asked, const ranks& all);

}  // namespace weft::tool

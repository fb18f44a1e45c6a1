#pragma once

#include "ranks.hpp"
#include "settings.hpp"

namespace weft::tool {

/// Collective; both return the exit code and throw usage_error on every rank alike.
int run(const run_settings& asked, const ranks& all);
int info(const info_settings& asked, const ranks& all);

}  // namespace weft::tool

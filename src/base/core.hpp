// SPDX-License-Identifier: BSD-3-Clause
// Where the values of the index and schedule layers live: not in `weft`, which users see, but as near for every layer.
#pragma once

namespace weft {

namespace core {}

// A name of `core` is then found where one of `weft` would be.
namespace algorithm {
using namespace core;
}
namespace exchange {
using namespace core;
}
namespace local {
using namespace core;
}
namespace run {
using namespace core;
}
namespace planner {
using namespace core;
}
namespace facade {
using namespace core;
}
namespace testing {
using namespace core;
}

}  // namespace weft

// SPDX-License-Identifier: BSD-3-Clause
// A channel that is one collective call; where it overlaps with others, one that does not wait.
#pragma once

#include "exchange/channel.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

template <class Call>
class collective_channel : public channel {
 public:
  collective_channel(Call call, const company& with) : call_(std::move(call)), overlapping_(with.overlapping) {}

  [[nodiscard]] bool arrived() final { return under_way_.done(); }
  [[nodiscard]] bool left() final { return under_way_.done(); }
  void settle() final { under_way_.wait(); }
  void release() final { under_way_.wait(); }
  void finish() final { under_way_.wait(); }

 protected:
  void exchange(const image& from, const image& to) {
    if (overlapping_) {
      call_.begin(from.mine, to.mine, under_way_.request());
    } else {
      call_(from.mine, to.mine);
    }
  }

 private:
  Call call_;
  bool overlapping_;
  mpi::pending_call under_way_;
};

}  // namespace weft::exchange

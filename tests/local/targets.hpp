// SPDX-License-Identifier: BSD-3-Clause
// Tests that run with every instruction set that was compiled and that this machine can run.
#pragma once

#include "local/simd/targets.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <string>
#include <vector>

namespace weft::local {

class every_target : public ::testing::TestWithParam<std::int64_t> {
 protected:
  every_target() {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ~every_target() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

inline std::vector<std::int64_t> runnable_targets() {
  std::vector<std::int64_t> targets;
  for (const std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_NEON}) {
    if ((hwy::SupportedTargets() & target & ~HWY_DISABLED_TARGETS) != 0) targets.push_back(target);
  }
  if (targets.empty()) targets.push_back(HWY_EMU128);
  return targets;
}

inline std::string target_name(const ::testing::TestParamInfo<std::int64_t>& instance) {
  return hwy::TargetName(instance.param);
}

}  // namespace weft::local

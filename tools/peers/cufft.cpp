// SPDX-License-Identifier: BSD-3-Clause
// cuFFT on one GPU, the root's, which has the whole array: one plan of all axes, as cufftPlan3d makes it.
#include "device/cufft.hpp"

#include "peers/peer.hpp"
#include "peers/whole.hpp"
#include "weft/error.hpp"

namespace weft::tool::peers {

peer cufft();

namespace {

struct planned {
  planned(const device::device& on, const device::cufft_transform::terms& of)
      : transform(on, of), work(on.space().allocate(transform.work_bytes())) {}

  device::cufft_transform transform;
  memory work;
};

/// On the root only.
peer_transform plan_whole(const problem& what, const bench_setup& on, bool in_place) {
  const bool real = what.kind == transform_kind::r2c;
  const whole w = whole_of(what);
  peer_transform t{input_array(w, real, in_place), output_array(w, real), {}};
  const auto bytes = [&](const peer_array& of) {
    return real_bytes(what.element) * static_cast<std::size_t>(of.reals);
  };
  t.in.memory = on.wholes.input(bytes(t.in));
  t.out.memory = in_place ? t.in.memory : on.wholes.output(bytes(t.out));
  if (!t.in.memory || !t.out.memory) return t;
  using transform = device::cufft_transform;
  const transform::terms terms{{w.shape.begin(), w.shape.end()},
                               real ? transform::kind::real_to_complex : transform::kind::complex_to_complex,
                               what.element == precision::f64,
                               {1, w.outer * w.last},
                               {1, w.outer * w.half}};
  const auto made = std::make_shared<planned>(*on.device, terms);
  t.forward = [made, by = on.device, from = t.in.memory, to = t.out.memory] {
    made->transform.run(from.data(), to.data(), made->work.data(), false);
    by->synchronize();
  };
  return t;
}

void add_variant(contenders& made, const problem& what, const bench_setup& on, bool in_place) {
  contender_label label{.library = "cufft", .keeps_distribution = true, .in_place = in_place, .on_root_only = true};
  label.variant = std::string("1 GPU") + (in_place ? ", in place" : "");
  peer_transform t;
  std::string reason = "not enough memory";
  if (on.all.is_root()) {
    try {
      t = plan_whole(what, on, in_place);
    } catch (const weft::error& e) {
      reason = e.what();
    }
  }
  quiet_barrier(on.all);
  reason = on.all.from_root(reason);
  if (!on.all.from_root(t.forward != nullptr)) {
    made.notes.push_back("cufft " + label.variant + ": left out: " + reason);
    return;
  }
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
}

contenders make(const problem& what, const bench_setup& on) {
  contenders made;
  if (!on.device->has_handles()) {
    made.notes.emplace_back("cufft: left out: it needs a GPU, and device is " + on.device_name);
  } else if (what.shape.size() > 3) {
    made.notes.emplace_back("cufft: left out: it transforms at most three axes");
  } else {
    add_variant(made, what, on, false);
    if (what.kind != transform_kind::r2c) add_variant(made, what, on, true);
  }
  return made;
}

void start() {}

}  // namespace

peer cufft() { return {"cufft", "cuFFT on the root's GPU, the whole array", start, make, false, true}; }

}  // namespace weft::tool::peers

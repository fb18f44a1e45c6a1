// SPDX-License-Identifier: BSD-3-Clause
// Redistribution, arenas, wisdom and the machine.
#include "c/handles.hpp"
#include "mpi/agreement.hpp"

using namespace weft::c;

int weft_redistribution_create(const weft_distribution* from, const weft_distribution* to, size_t element_bytes,
                               MPI_Comm on, const weft_options* options, weft_redistribution** made) {
  return guarded([&] {
    weft::redistribution_options how;
    weft::mpi::agree(weft::mpi::communicator(on), [&] {
      (void)existing(from, "from");
      (void)existing(to, "to");
      (void)existing(made, "made");
      if (options == nullptr) return;
      const weft_options& given = existing(options, "the options");
      how.exchange = given.how.exchange;
      how.device = given.how.device;
      how.batch = given.what.batch;
      how.interleaved = given.what.interleaved;
      how.in_place = given.how.in_place;
      how.destroy_input = given.how.destroy_input;
      how.input_layout = given.how.input_layout;
      how.output_layout = given.how.output_layout;
    });
    *made = new weft_redistribution{weft::redistribution(from->value, to->value, element_bytes, on, how)};
  });
}

void weft_redistribution_destroy(weft_redistribution* of) { destroy(of); }

int weft_redistribution_run(weft_redistribution* of, const void* in, void* out) {
  return guarded([&] { existing(of, "the redistribution").value(in, out); });
}

int weft_redistribution_number(const weft_redistribution* of, const char* what, int64_t* number) {
  return guarded([&] {
    const auto& move = existing(of, "the redistribution").value;
    const std::pair<const char*, int64_t> known[] = {
        {"messages", move.messages()}, {"bytes", move.bytes()}, {"workspace_bytes", move.workspace_bytes()}};
    existing(number, "number") = found_in(known, what);
  });
}

int weft_arena_create(weft_arena** made) {
  return guarded([&] { existing(made, "made") = new weft_arena{weft::arena::growing()}; });
}

int weft_arena_over(void* memory, size_t bytes, weft_arena** made) {
  return guarded([&] {
    auto* const first = bytes == 0 ? nullptr : &existing(static_cast<std::byte*>(memory), "memory");
    existing(made, "made") = new weft_arena{weft::arena::over({first, bytes})};
  });
}

void weft_arena_destroy(weft_arena* of) { destroy(of); }

int weft_arena_bytes(const weft_arena* of, size_t* bytes) {
  return guarded([&] { existing(bytes, "bytes") = existing(of, "the arena").value.bytes(); });
}

int weft_options_set_workspace(weft_options* of, const weft_arena* where) {
  return guarded([&] {
    existing(of, "options").how.workspace = where == nullptr ? weft::arena{} : existing(where, "the arena").value;
  });
}

int weft_wisdom_load(const char* file, weft_wisdom** made) {
  return guarded([&] {
    auto& target = existing(made, "made");
    target = new weft_wisdom{weft::wisdom::load(&existing(file, "file"))};
  });
}

int weft_wisdom_parse(const char* text, weft_wisdom** made) {
  return guarded([&] {
    auto& target = existing(made, "made");
    target = new weft_wisdom{weft::wisdom::parse(&existing(text, "text"))};
  });
}

void weft_wisdom_destroy(weft_wisdom* of) { destroy(of); }

int weft_wisdom_text(const weft_wisdom* of, char** text) {
  return guarded([&] { give(text, existing(of, "the wisdom").value.text()); });
}

int weft_wisdom_entries(const weft_wisdom* of, int64_t* count) {
  return guarded(
      [&] { existing(count, "count") = static_cast<int64_t>(existing(of, "the wisdom").value.entries().size()); });
}

int weft_wisdom_merge(weft_wisdom* into, const weft_wisdom* other) {
  return guarded([&] { existing(into, "the wisdom").value.merge(existing(other, "the other wisdom").value); });
}

int weft_wisdom_save_into(const weft_wisdom* of, const char* file, int replace) {
  return guarded([&] { existing(of, "the wisdom").value.save_into(&existing(file, "file"), replace != 0); });
}

int weft_measure_machine(MPI_Comm on, const char* wisdom_file, char** text) {
  return guarded([&] {
    weft::mpi::agree(weft::mpi::communicator(on), [&] { (void)existing(text, "the place for the text"); });
    give(text, weft::measure_machine(on, wisdom_file == nullptr ? "" : wisdom_file));
  });
}

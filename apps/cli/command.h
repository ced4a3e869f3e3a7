// The commands of the program `molejo`: what main.cpp reads from the command line, and what each
// command does with it. Bad input is an InputError, printed by main.cpp as one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "molejo/model/build.h"

namespace molejo::cli {

enum ExitCode {
  success = 0,
  numeric_failure = 1,  // the run stopped early; what it reached is written
  network_failure = 1,  // nobody answered, or the answer was no
  not_found = 1,        // a gait that keeps all constraints
  bad_input = 2,        // a file or the command line; nothing is written
  internal_error = 3
};

// Of the units in formulas.
enum class UnitCheck { off, usual, strict };

struct SimulateOptions {
  std::string scene;
  std::vector<std::string> outputs;
  std::optional<double> duration, fps, time_step;  // instead of the scene's own
  std::optional<Integrator> integrator;
  std::optional<Formulation> formulation;
  std::string contacts;               // file for the contact events; empty: none
  bool forces = false;                // draw contact forces in .glb and .svg
  std::optional<double> force_scale;  // N for an arrow of a metre
  std::vector<std::string> settings;  // "name=value" of variables
  std::string command;                // table of commands over time; empty: none
  UnitCheck units = UnitCheck::off;
  bool json = false;
  bool watch = false;  // run again whenever the file is saved
};
int simulate(const SimulateOptions& options);

struct CheckOptions {
  std::string file;
  bool names = false;  // list what formulas may use
  UnitCheck units = UnitCheck::off;
  bool json = false;
};
int check(const CheckOptions& options);

struct ConvertOptions {
  std::string in, out;
};
int convert(const ConvertOptions& options);

struct ModesOptions {
  std::string file;
  std::string phase = "air";
  std::string foot;                 // that stands; the first one unless given
  std::vector<std::string> fixed;   // "BODY" or "BODY:x,y,z"
  std::vector<std::string> pose;    // "JOINT=x,y,z", degrees
  std::optional<double> stiffness;  // N m/rad of all joints
  bool gravity = false;
  std::string output;
  bool json = false;
};
int modes(const ModesOptions& options);

struct TrainOptions {
  std::string motion;
  std::string output;  // beside nothing: named after the motion, in the folder where we are
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> evaluations;  // simulations at most
  int threads = 0;                          // 0: all; under mpirun one a rank
  bool resume = false;
  bool json = false;
};
// 0: found; 1: not found, and the nearest is written.
int train(const TrainOptions& options);

struct GaitOptions {
  std::string file;
  std::vector<std::string> outputs;
  double seconds = 5, fps = 60;
  bool reset = false;
  bool open_loop = false;           // even where the file has a feedback
  std::vector<std::string> pushes;  // "NEWTONS@DEGREES[:START[:DURATION]]"
  bool forces = false;
  std::optional<double> force_scale;
  bool json = false;
};
// 0: valid; 1: some constraint does not hold.
int gait(const GaitOptions& options);

struct SketchOptions {
  std::string motion;
  std::string output;
  double seconds = 4;
  bool json = false;
};
int sketch(const SketchOptions& options);

struct StabiliseOptions {
  std::string file, output;
  std::uint64_t seed = 1;
  int threads = 0;
  double push = 0.6;  // N s/kg
  int generations = 20;
  int modes = 12;  // the lowest of each palette that may be used too
  bool json = false;
};
// 0: runs on for a minute; 1: falls earlier.
int stabilise(const StabiliseOptions& options);

struct PushesOptions {
  std::string file, output;
  int directions = 8, phases = 4;
  int threads = 0;
  bool json = false;
};
int pushes(const PushesOptions& options);

struct GalleryOptions {
  std::string scenes = "scenes", out = "out";
};
int gallery(const GalleryOptions& options);

struct ServeOptions {
  std::string scene;
  std::string address = "127.0.0.1";
  int port = 8420;
  std::string token_file;
  std::vector<std::string> origins;
  std::string folder;  // of scenes that clients may load; that of the scene unless given
  bool paused = false;
};
int serve(const ServeOptions& options);

struct SendOptions {
  std::string url;
  std::vector<std::string> messages;
  std::string token_file;
  int frames = 0;     // to wait for after the answers
  double wait = 5.0;  // seconds for each answer
};
int send(const SendOptions& options);

// Complaints about units as lines on stderr, the last of them as an InputError.
void check_units(const Built& built, UnitCheck check);

// Each warning as a line on stderr.
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace molejo::cli

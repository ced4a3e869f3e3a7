// The commands of the program `molejo`: what main.cpp reads from the command line, and what each
// command does with it. Bad input is an InputError, printed by main.cpp as one line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "molejo/model/build.h"

namespace molejo::cli {

enum ExitCode {
  success = 0,
  numeric_failure = 1,  // the run stopped early; what it reached is written
  network_failure = 1,  // nobody answered, or the answer was no
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

struct GalleryOptions {
  std::string scenes = "scenes", out = "out";
};
int gallery(const GalleryOptions& options);

struct ServeOptions {
  std::string scene;
  std::string address = "127.0.0.1";
  int port = 8420;
  std::string token;
  std::vector<std::string> origins;
  std::string folder;  // of scenes that clients may load; that of the scene unless given
  bool paused = false;
};
int serve(const ServeOptions& options);

struct SendOptions {
  std::string url;
  std::vector<std::string> messages;
  std::string token;
  int frames = 0;     // to wait for after the answers
  double wait = 5.0;  // seconds for each answer
};
int send(const SendOptions& options);

// Complaints about units as lines on stderr, the last of them as an InputError.
void check_units(const Built& built, UnitCheck check);

// Each warning as a line on stderr.
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace molejo::cli

#include "tensorgrad/runtime/profile.h"

namespace tensorgrad::runtime {
namespace {

thread_local std::vector<backend::KernelTime>* open_scope = nullptr;

}  // namespace

ProfileScope::ProfileScope() : previous_(open_scope) { open_scope = &times_; }
ProfileScope::~ProfileScope() { open_scope = previous_; }

std::vector<backend::KernelTime>* ProfileScope::wanted() { return open_scope; }

}  // namespace tensorgrad::runtime

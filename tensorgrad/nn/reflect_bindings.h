// Takes an aggregate apart: calls a function with a reference to each of its N fields.
// Bottom of the model walk (reflect.h). C++20 has no packs of structured bindings, so the 64 cases
// are spelled out; each is a discarded statement for every other N and costs only its parsing.
#pragma once

#include <cstddef>

namespace tensorgrad::reflect_internal {

inline constexpr std::size_t kMaxFields = 64;

// clang-format off
template <std::size_t N, class T, class F>
constexpr decltype(auto) bind_fields(T& t, F&& f) {
  if constexpr (N == 0) {
    (void)t;
    return f();
  } else if constexpr (N == 1) {
    auto& [a] = t;
    return f(a);
  } else if constexpr (N == 2) {
    auto& [a, b] = t;
    return f(a, b);
  } else if constexpr (N == 3) {
    auto& [a, b, c] = t;
    return f(a, b, c);
  } else if constexpr (N == 4) {
    auto& [a, b, c, d] = t;
    return f(a, b, c, d);
  } else if constexpr (N == 5) {
    auto& [a, b, c, d, e] = t;
    return f(a, b, c, d, e);
  } else if constexpr (N == 6) {
    auto& [a, b, c, d, e, g] = t;
    return f(a, b, c, d, e, g);
  } else if constexpr (N == 7) {
    auto& [a, b, c, d, e, g, h] = t;
    return f(a, b, c, d, e, g, h);
  } else if constexpr (N == 8) {
    auto& [a, b, c, d, e, g, h, i] = t;
    return f(a, b, c, d, e, g, h, i);
  } else if constexpr (N == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = t;
    return f(a, b, c, d, e, g, h, i, j);
  } else if constexpr (N == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = t;
    return f(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (N == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l);
  } else if constexpr (N == 12) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m);
  } else if constexpr (N == 13) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n);
  } else if constexpr (N == 14) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o);
  } else if constexpr (N == 15) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (N == 16) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (N == 17) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (N == 18) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (N == 19) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u);
  } else if constexpr (N == 20) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v);
  } else if constexpr (N == 21) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w);
  } else if constexpr (N == 22) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x);
  } else if constexpr (N == 23) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y);
  } else if constexpr (N == 24) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z);
  } else if constexpr (N == 25) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A);
  } else if constexpr (N == 26) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B);
  } else if constexpr (N == 27) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C);
  } else if constexpr (N == 28) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D] =
      t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D);
  } else if constexpr (N == 29) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E]
      = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E);
  } else if constexpr (N == 30) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G);
  } else if constexpr (N == 31) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H);
  } else if constexpr (N == 32) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I);
  } else if constexpr (N == 33) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J);
  } else if constexpr (N == 34) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K);
  } else if constexpr (N == 35) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L);
  } else if constexpr (N == 36) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M);
  } else if constexpr (N == 37) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O);
  } else if constexpr (N == 38) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P);
  } else if constexpr (N == 39) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q);
  } else if constexpr (N == 40) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R);
  } else if constexpr (N == 41) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S);
  } else if constexpr (N == 42) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U);
  } else if constexpr (N == 43) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V);
  } else if constexpr (N == 44) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W);
  } else if constexpr (N == 45) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X);
  } else if constexpr (N == 46) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y);
  } else if constexpr (N == 47) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z);
  } else if constexpr (N == 48) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0);
  } else if constexpr (N == 49) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1);
  } else if constexpr (N == 50) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2);
  } else if constexpr (N == 51) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3);
  } else if constexpr (N == 52) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4);
  } else if constexpr (N == 53) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5);
  } else if constexpr (N == 54) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6);
  } else if constexpr (N == 55) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7);
  } else if constexpr (N == 56) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8);
  } else if constexpr (N == 57) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9]
      = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9);
  } else if constexpr (N == 58) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
      a10] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9, a10);
  } else if constexpr (N == 59) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
      a10, a11] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9, a10, a11);
  } else if constexpr (N == 60) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
      a10, a11, a12] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9, a10, a11, a12);
  } else if constexpr (N == 61) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
      a10, a11, a12, a13] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9, a10, a11, a12, a13);
  } else if constexpr (N == 62) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
      a10, a11, a12, a13, a14] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9, a10, a11, a12, a13, a14);
  } else if constexpr (N == 63) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
      a10, a11, a12, a13, a14, a15] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9, a10, a11, a12, a13, a14, a15);
  } else if constexpr (N == 64) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D, E,
      G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
      a10, a11, a12, a13, a14, a15, a16] = t;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, u, v, w, x, y, z, A, B, C, D,
      E, G, H, I, J, K, L, M, O, P, Q, R, S, U, V, W, X, Y, Z, a0, a1, a2, a3, a4, a5, a6, a7, a8,
      a9, a10, a11, a12, a13, a14, a15, a16);
  }
}
// clang-format on

}  // namespace tensorgrad::reflect_internal

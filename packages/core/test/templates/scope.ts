import { randomFor } from '../../src/random/random.js';
import type { TemplateScope } from '../../src/templates/template.js';

/** 2026-03-07T09:05:03.045Z, a Saturday. */
export const NOW = Date.UTC(2026, 2, 7, 9, 5, 3, 45);

export interface ScopeOptions {
  readonly request?: Record<string, unknown>;
  readonly state?: Record<string, string>;
  readonly vars?: Record<string, unknown>;
  readonly locals?: Record<string, unknown>;
  readonly now?: number;
  readonly seed?: number;
}

/** A scope as a host gives it, with fixed time and chance. */
export function scopeOf(options: ScopeOptions = {}): TemplateScope {
  const request = new Map(Object.entries(options.request ?? {}));
  const state = new Map(Object.entries(options.state ?? {}));
  const counters = new Map<string, number>();
  const random = randomFor(options.seed ?? 1, 'test');
  return {
    request: { get: (name) => request.get(name) },
    now: () => options.now ?? NOW,
    random: () => random,
    state: (key) => state.get(key),
    vars: options.vars ?? {},
    seq(name) {
      const next = (counters.get(name) ?? 0) + 1;
      counters.set(name, next);
      return next;
    },
    ...(options.locals === undefined ? {} : { locals: options.locals }),
  };
}

import type { HostOptions } from '../contract/host.js';

/** Options that a host has for as long as it lives, and that a configuration may name. */
const LASTING = ['seed', 'keys', 'logs', 'ports'] as const;

/** Options that a host has for as long as it lives: who has made it has given them. */
const OWN = [
  'webhooks',
  'log',
  'watchEventLoop',
  'replica',
  'sharedCounts',
  'sharedChanges',
  'sharedPorts',
  'version',
] as const;

/** Other options, with what of the old ones lasts. */
export function withLasting(options: HostOptions, before: HostOptions): HostOptions {
  const names: readonly string[] = [...LASTING, ...OWN];
  const others = Object.entries(options).filter(([name]) => !names.includes(name));
  const lasting = Object.entries(before).filter(([name]) => names.includes(name));
  return Object.fromEntries([...others, ...lasting]) as unknown as HostOptions;
}

/** The names of options that differ and count when a host is made. */
export function notTaken(before: HostOptions, after: HostOptions): string[] {
  const others = after.protocols.filter(({ kind }) => !before.protocols.some((each) => each.kind === kind));
  return [
    ...LASTING.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])),
    ...others.map(({ kind }) => `protocols.${kind}`),
  ];
}

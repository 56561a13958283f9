import type { ProxySettings } from '../schemas/proxy.js';

/** What becomes of requests for a host. */
export type HostRule = 'answer' | 'tunnel' | 'refuse';

/** Says by name what becomes of requests for a host. */
export class HostRules {
  /** By names, and by `*.name` and `*` for what is below. */
  readonly #rules = new Map<string, HostRule>();

  constructor({ hosts = ['*'], tunnel = [] }: Pick<ProxySettings, 'hosts' | 'tunnel'>) {
    for (const host of tunnel) this.#rules.set(plain(host), 'tunnel');
    // What is in both lists is answered.
    for (const host of hosts) this.#rules.set(plain(host), 'answer');
    // Where everything is tunnelled, only what is named is answered.
    if (hosts.length === 1 && hosts[0] === '*' && tunnel.includes('*')) this.#rules.set('*', 'tunnel');
  }

  /** @param host - a name in lower case, or an address without brackets */
  of(host: string): HostRule {
    return find(this.#rules, host) ?? 'refuse';
  }
}

/** What a map has for a host: by its own name, else by the longest name that it is below. */
export function find<T>(rules: ReadonlyMap<string, T>, host: string): T | undefined {
  const own = rules.get(host);
  if (own !== undefined) return own;
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
    const rule = rules.get(`*${host.slice(dot)}`);
    if (rule !== undefined) return rule;
  }
  return rules.get('*');
}

/** A name as the rules have it. */
export function plain(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '');
}

import type { WebhookFactory } from '@backlot/core';
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { guardLookup } from '@backlot/core/plugin';

import { compileHostList } from './host-list.js';
import { RefusedTarget } from './refused-target.js';
import { HttpWebhookSender } from './sender.js';

const ATTEMPT_TIMEOUT = 30_000;

/** What webhooks may do. */
export interface WebhookOptions {
  /** Whether anything is sent; true when absent. */
  readonly enabled?: boolean;
  /**
   * The only hosts that may be called: names or addresses as they stand in a url, `*.example.com` for every name below
   * one, each with `:port` when only that port is meant. All when absent, none when empty.
   */
  readonly allowHosts?: readonly string[];
  /** Milliseconds of real time that one attempt may take; 30,000 when absent. */
  readonly timeout?: number;
  /** Resolves host names; the system's resolver when absent. */
  readonly lookup?: LookupFunction;
}

/** Makes the sender of a host's webhooks, for `createHost({ webhooks: createWebhooks() })`. */
export function createWebhooks(options: WebhookOptions = {}): WebhookFactory {
  const { enabled = true, allowHosts, timeout = ATTEMPT_TIMEOUT, lookup = systemLookup } = options;
  const isAllowed = compileHostList(allowHosts);
  const guarded = guardLookup(lookup, (address) => RefusedTarget.forAddress(address));
  return (host) => new HttpWebhookSender(host, { enabled, isAllowed, timeout, lookup: guarded });
}

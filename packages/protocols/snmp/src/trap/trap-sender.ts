import { isIPv6 } from 'node:net';
import { BacklotError, messageOf, type Context } from '@backlot/core/plugin';
import { formatAddress } from '@backlot/kit';
import { parseValue, type GivenValue } from '../parse-value.js';
import type { SnmpShape } from '../shape.js';
import { SnmpMessage } from '../message.js';
import type { MessageProcessorOptions } from '../wire/message-processor.js';
import type { SnmpEngine } from '../wire/engine.js';
import type { LibraryUser, NetSnmp, OutgoingRequest } from '../wire/net-snmp.js';
import { TAG } from '../wire/tags.js';
import type { SnmpValue } from '../wire/value.js';
import type { CompiledTrap, Trap, TrapBinding } from './compile-trap.js';
import { resolveTarget } from './resolve-target.js';
import { SNMP_TRAP_ENTERPRISE } from './trap-oids.js';

/** How long an inform waits for its answer, in milliseconds, and how often it is sent again then. */
const INFORM_TIMEOUT = 1_000;
const INFORM_RETRIES = 2;
/** Each has a socket of its own. */
const MAX_AT_ONCE = 64;

interface Varbind {
  readonly oid: string;
  readonly type: number;
  readonly value: SnmpValue['native'];
}

/** Sends traps and informs. */
export class TrapSender {
  readonly #context: Context<SnmpShape>;
  readonly #snmp: NetSnmp;
  readonly #engine: SnmpEngine;
  readonly #options: MessageProcessorOptions;
  readonly #open = new Set<() => void>();
  #sending = 0;

  constructor(
    context: Context<SnmpShape>,
    snmp: NetSnmp,
    engine: SnmpEngine,
    options: MessageProcessorOptions,
  ) {
    this.#context = context;
    this.#snmp = snmp;
    this.#engine = engine;
    this.#options = options;
  }

  /** The trap with this id. @throws BacklotError `not_found` */
  get(id: string): Trap {
    return this.#find(id).value;
  }

  /**
   * Sends a trap once; an inform until it is acknowledged.
   *
   * @throws BacklotError `not_found`, or `send_failed` when the name does not resolve, the address is refused, the socket
   * fails or an inform gets no answer in time
   */
  async send(id: string): Promise<void> {
    const { value, compiled } = this.#find(id);
    const exchange = this.#context.receive(this.#describe(value, compiled));
    try {
      if (this.#sending >= MAX_AT_ONCE)
        throw new Error(`${MAX_AT_ONCE} others are under way; send it again later`);
      this.#sending += 1;
      await this.#transmit(value, compiled).finally(() => (this.#sending -= 1));
      exchange.done({ status: value.inform === true ? 'acknowledged' : 'sent' });
    } catch (thrown) {
      const reason = messageOf(thrown);
      exchange.done({ status: 'failed', body: reason });
      throw new BacklotError('send_failed', `trap "${id}" was not sent to ${value.target}: ${reason}`, {
        cause: thrown,
      });
    }
  }

  /** Gives up what waits for an answer. */
  stop(): void {
    for (const close of [...this.#open]) close();
  }

  #find(id: string): { readonly value: Trap; readonly compiled: CompiledTrap } {
    const found = this.#context.itemLists.traps.get(id);
    if (found === undefined) throw new BacklotError('not_found', `no trap "${id}"`);
    return found;
  }

  #describe(trap: Trap, { oid, version, host, port }: CompiledTrap): SnmpMessage {
    const principal = (version === '3' ? trap.username : trap.community) ?? '';
    const request = { operation: 'TRAP', version, principal, context: '', bindings: [] } as const;
    return new SnmpMessage(request, oid, formatAddress(host, port), undefined);
  }

  async #transmit(trap: Trap, compiled: CompiledTrap): Promise<void> {
    const { community, users } = this.#options;
    const principal =
      compiled.version === '3' ? pickUser(users, trap.username) : (trap.community ?? community);
    const varbinds = this.#render(compiled);
    const address = await resolveTarget(compiled.host);
    const isSix = isIPv6(address);
    const { uptime, id } = this.#engine;
    const options = {
      version: { '1': 0, '2c': 1, '3': 3 }[compiled.version],
      transport: isSix ? 'udp6' : 'udp4',
      trapPort: compiled.port,
      engineID: id,
      timeout: INFORM_TIMEOUT,
      retries: INFORM_RETRIES,
    };
    const session = this.#snmp.openSession(address, principal, options, (request) =>
      this.#adapt(request, compiled, trap.inform === true),
    );
    let close: (() => void) | undefined;
    try {
      await new Promise<void>((done, fail) => {
        close = () => fail(new Error('the server stopped'));
        this.#open.add(close);
        const settle = (error: Error | null): void => (error === null ? done() : fail(error));
        // The agent address of SNMPv1: what is not known is 0.0.0.0 (RFC 3584 section 3.2).
        const more = {
          upTime: Math.max(uptime, 1),
          agentAddr: address.startsWith('127.') ? '127.0.0.1' : '0.0.0.0',
        };
        if (trap.inform === true) session.inform(compiled.oid, [...varbinds], more, settle as never);
        else session.trap(compiled.oid, [...varbinds], more, settle as never);
      });
    } finally {
      if (close !== undefined) this.#open.delete(close);
      session.close();
    }
  }

  #render({ bindings, version, enterprise }: CompiledTrap): readonly Varbind[] {
    const { templates } = this.#context;
    const scope = templates.scope();
    const varbinds = bindings.map((binding, place) =>
      renderBinding(binding, place, templates.renderValue(binding.value, scope)),
    );
    // RFC 3584 section 3.1, paragraph 4.
    if (enterprise === undefined || version === '1') return varbinds;
    return [...varbinds, { oid: SNMP_TRAP_ENTERPRISE, type: TAG.oid, value: enterprise }];
  }

  /** Puts into a message what net-snmp has no option for. */
  #adapt({ message }: OutgoingRequest, { version, version1 }: CompiledTrap, isInform: boolean): void {
    if (version === '1') Object.assign(message.pdu, version1);
    // RFC 3412 section 7.1: of a trap we are the authoritative engine; of an inform its receiver is.
    if (version === '3' && !isInform && message.msgSecurityParameters !== undefined) {
      Object.assign(message.msgSecurityParameters, this.#engine.parameters);
    }
  }
}

function renderBinding({ oid, type }: TrapBinding, place: number, rendered: unknown): Varbind {
  const given = (
    typeof rendered === 'object' && rendered !== null ? JSON.stringify(rendered) : rendered
  ) as GivenValue;
  try {
    const { tag, native } = parseValue(type, given);
    return { oid, type: tag, value: native };
  } catch (thrown) {
    throw new Error(`/bindings/${place}/value: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function pickUser(users: ReadonlyMap<string, LibraryUser>, name: string | undefined): LibraryUser {
  const user = name === undefined ? users.values().next().value : users.get(name);
  if (user !== undefined) return user;
  throw new Error(
    name === undefined
      ? 'version 3 needs a user: v3_users is empty'
      : `user "${name}" is not one of v3_users`,
  );
}

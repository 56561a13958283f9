import type { Session } from '../session.js';
import type { TrackingOptions } from '../tracking/client-tracking.js';
import { ERRORS, fail } from '../wire/errors.js';
import { bulk, bulks, integer, map, OK, set } from '../wire/reply.js';
import { at, keyless, optionAt, toInteger, type Answer, type Args, type Command } from './command.js';

/** The commands for clients that keep copies of keys (redis.io, command pages of CLIENT TRACKING and its kin). */
export const TRACKING_COMMANDS: readonly Command[] = [
  keyless('client|tracking', -3, '', track),
  keyless('client|caching', 3, '', (args, { tracking }) => {
    if (tracking === undefined || !(tracking.options.isOptIn || tracking.options.isOptOut))
      fail(
        'ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled',
      );
    const option = optionAt(args, 2);
    if (option === 'YES') {
      if (!tracking.options.isOptIn)
        fail('ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.');
      tracking.caching = 'yes';
    } else if (option === 'NO') {
      if (!tracking.options.isOptOut)
        fail('ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.');
      tracking.caching = 'no';
    } else fail(ERRORS.syntax);
    return OK;
  }),
  keyless('client|getredir', 2, '', (_args, { tracking }) => integer(tracking?.options.redirect ?? -1)),
  keyless('client|trackinginfo', 2, '', describe),
];

function track(args: Args, session: Session): Answer {
  const { server, tracking } = session;
  let redirect = 0;
  const words = new Set<string>();
  const prefixes: string[] = [];
  for (let index = 3; index < args.length; index += 1) {
    const option = optionAt(args, index);
    const hasValue = index + 1 < args.length;
    if (option === 'REDIRECT' && hasValue) {
      index += 1;
      if (redirect !== 0) fail('ERR A client can only redirect to a single other client');
      redirect = toInteger(args[index]);
      if (!server.sessions.has(redirect)) fail('ERR The client ID you want redirect to does not exist');
    } else if (option === 'PREFIX' && hasValue) {
      index += 1;
      prefixes.push(at(args, index));
    } else if (['BCAST', 'OPTIN', 'OPTOUT', 'NOLOOP'].includes(option)) words.add(option);
    else fail(ERRORS.syntax);
  }
  const mode = optionAt(args, 2);
  if (mode === 'OFF') {
    server.tracking.disable(session);
    return OK;
  }
  if (mode !== 'ON') fail(ERRORS.syntax);
  const options: TrackingOptions = {
    redirect,
    isBroadcast: words.has('BCAST'),
    isOptIn: words.has('OPTIN'),
    isOptOut: words.has('OPTOUT'),
    isNoLoop: words.has('NOLOOP'),
  };
  checkOptions(options, prefixes, tracking?.options);
  checkPrefixes(prefixes, tracking?.prefixes ?? new Set());
  server.tracking.enable(session, options, prefixes);
  return OK;
}

function checkOptions(
  options: TrackingOptions,
  prefixes: readonly string[],
  known: TrackingOptions | undefined,
): void {
  const { isBroadcast, isOptIn, isOptOut } = options;
  if (!isBroadcast && prefixes.length > 0) fail('ERR PREFIX option requires BCAST mode to be enabled');
  if (known !== undefined && known.isBroadcast !== isBroadcast)
    fail(
      "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.",
    );
  if (isBroadcast && (isOptIn || isOptOut)) fail('ERR OPTIN and OPTOUT are not compatible with BCAST');
  if (isOptIn && isOptOut) fail("ERR You can't specify both OPTIN mode and OPTOUT mode");
  if (known !== undefined && ((isOptIn && known.isOptOut) || (isOptOut && known.isOptIn)))
    fail(
      "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.",
    );
}

/** Most prefixes that one command names: each is compared with each. */
const MAX_NAMED = 256;

/** @throws CommandError when one prefix is the beginning of another */
function checkPrefixes(given: readonly string[], known: ReadonlySet<string>): void {
  if (given.length > MAX_NAMED) fail(`ERR CLIENT TRACKING takes ${MAX_NAMED} prefixes at most`);
  for (const [index, prefix] of given.entries()) {
    const clashes = (other: string): boolean => prefix.startsWith(other) || other.startsWith(prefix);
    const problem = (other: string, kind: string): never =>
      fail(
        `ERR Prefix '${prefix}' overlaps with ${kind} prefix '${other}'. Prefixes for a single client must not overlap.`,
      );
    for (const other of known) if (clashes(other)) problem(other, 'an existing');
    for (const other of given.slice(index + 1)) if (clashes(other)) problem(other, 'another provided');
  }
}

function describe(_args: Args, { tracking, resp }: Session): Answer {
  const flags = [tracking === undefined ? 'off' : 'on'];
  if (tracking !== undefined) {
    const { isBroadcast, isOptIn, isOptOut, isNoLoop } = tracking.options;
    if (isBroadcast) flags.push('bcast');
    if (isOptIn) flags.push('optin');
    if (tracking.caching === 'yes') flags.push('caching-yes');
    if (isOptOut) flags.push('optout');
    if (tracking.caching === 'no') flags.push('caching-no');
    if (isNoLoop) flags.push('noloop');
    if (tracking.isRedirectBroken) flags.push('broken_redirect');
  }
  return map(
    [
      ...[bulk('flags'), set(flags.map(bulk), resp)],
      ...[bulk('redirect'), integer(tracking?.options.redirect ?? -1)],
      ...[bulk('prefixes'), bulks([...(tracking?.prefixes ?? [])].sort())],
    ],
    resp,
  );
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, type ContractNote } from '@backlot/core/plugin';
import { check, checkEqual, checkRefused, eventually, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import type { Probe, ProbeContract } from '../probe.js';
import { makeHost, onStage, type Stage, type Subject } from '../stage.js';

type Mode = 'off' | 'warn' | 'enforce';

/** What a contract does with messages and mocks in each mode, what it counts, and what it says of a message that is too long for it. */
export function contractCases(given: Subject): readonly ConformanceCase[] {
  const { protocol } = given;
  const { kind } = protocol;
  if (protocol.contracts === undefined) return [];
  const facts = (): ProbeContract => {
    const { contract } = given.probe;
    check(contract !== undefined, 'the protocol declares contracts, so its probe must have `contract`');
    return contract;
  };
  const probe = withContract(given.probe);
  const subject = { protocol, probe };
  /** Runs a function with a host that holds to the contract of the probe. */
  const held = async (mode: Mode, run: (stage: Stage) => Promise<void>): Promise<void> => {
    const { name, content } = facts();
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
    try {
      const file = join(folder, name);
      if (mode !== 'off') await writeFile(file, content);
      await onStage(subject, run, { settings: { contract: { file, mode } } });
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  const off: ConformanceCase = {
    name: 'does not read a file that is off',
    run: () =>
      held('off', async (stage) => {
        stage.add('changed');
        checkEqual('the answer', await stage.ask('simple'), probe.answers.changed);
        checkEqual('what the contract has noted', notesOf(stage, kind), []);
        checkEqual('what was touched', stage.kind.contract, undefined);
      }),
  };
  const enforce: ConformanceCase = {
    name: 'refuses messages and mocks that it does not allow, where it is enforced',
    run: () =>
      held('enforce', async (stage) => {
        stage.add('simple');
        const refusal = await checkRefused('a mock whose answer it does not allow', 'invalid', () =>
          stage.add('changed'),
        );
        check(
          refusal.message.includes('mock "changed" answers what the contract does not allow'),
          `a mock whose answer it does not allow was refused otherwise: ${refusal.message}`,
        );
        checkEqual('the answer to a message that it allows', await stage.ask('simple'), probe.answers.simple);
        const before = stage.kind.contract?.coverage();
        checkEqual(
          'the answer to a message that it does not allow',
          await stage.ask('other'),
          facts().refused,
        );
        const broken = await violated(stage, kind, 'request');
        check(
          broken.some(({ violations = [] }) =>
            violations.every(({ path, message }) => path.startsWith('/') && message !== ''),
          ),
          'what a contract does not allow must be noted with its place and with what would be right',
        );
        const after = stage.kind.contract?.coverage();
        check(before !== undefined && after !== undefined, 'a contract must say what was touched of it');
        checkEqual('the operations that were touched', before.operations.touched > 0, true);
        checkEqual('the messages that broke it before', before.violations.requests, 0);
        checkEqual('the messages that broke it', after.violations.requests > 0, true);
        checkEqual('the answers that broke it', after.violations.answers, 0);
      }),
  };
  const warn: ConformanceCase = {
    name: 'only notes them where it warns',
    run: () =>
      held('warn', async (stage) => {
        stage.add('changed');
        stage.add('other');
        const warnings = stage.kind.mocks.warningsOf('changed');
        check(
          warnings.some(({ message }) =>
            message.includes('mock "changed" answers what the contract does not'),
          ),
          `a mock whose answer it does not allow must be warned of; the warnings are ${JSON.stringify(warnings)}`,
        );
        checkEqual('the answer of that mock', await stage.ask('simple'), probe.answers.changed);
        await violated(stage, kind, 'answer');
        checkEqual(
          'the answer to a message that it does not allow',
          await stage.ask('other'),
          probe.answers.other,
        );
        await violated(stage, kind, 'request');
      }),
  };
  const unchecked: ConformanceCase = {
    name: 'says of a message that is too long that it is not checked',
    run: () =>
      held('enforce', async (stage) => {
        stage.add('simple');
        await within(stage.timeout, 'a long message', facts().sendLong(stage.address));
        await eventually(stage.timeout, 'an entry whose contract.unchecked has "request"', () =>
          notesOf(stage, kind).some((note) => note.unchecked?.includes('request') === true),
        );
      }),
  };
  const wrong: ConformanceCase = {
    name: 'does not start with a file that is none',
    run: async () => {
      const file = join(tmpdir(), 'no-such-folder', facts().name);
      const refusal: unknown = await makeHost(subject, { settings: { contract: { file } } }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      check(
        refusal !== undefined && messageOf(refusal).includes(`/settings/${kind}/contract/file`),
        `a file that is not there must be a problem of /settings/${kind}/contract/file, got ${refusal === undefined ? 'none' : messageOf(refusal)}`,
      );
    },
  };
  return [off, enforce, warn, unchecked, wrong];
}

/** A probe with what its contract needs in place of its own. */
function withContract(probe: Probe): Probe {
  const { contract } = probe;
  return {
    ...probe,
    settings: { ...probe.settings, ...contract?.settings },
    mocks: { ...probe.mocks, ...contract?.mocks },
    connect: (address) => contract?.connect?.(address) ?? probe.connect(address),
  };
}

function notesOf({ host }: Stage, kind: string): readonly ContractNote[] {
  return host.journal.list({ protocol: kind }).flatMap(({ contract }) => contract ?? []);
}

/** The notes of what was not allowed on one side, once there is one. */
async function violated(
  stage: Stage,
  kind: string,
  side: 'request' | 'answer',
): Promise<readonly ContractNote[]> {
  const found = (): readonly ContractNote[] =>
    notesOf(stage, kind).filter(({ violations = [] }) => violations.some((one) => one.in === side));
  const what = `an entry with what its contract does not allow in the ${side}`;
  await eventually(stage.timeout, what, () => found().length > 0);
  return found();
}

import { open } from 'node:fs/promises';
import { RECORDED_ID, type Host } from '@backlot/core';
import { CommandError } from './command-error.js';
import { configurationText } from './client/export.js';

/** Nobody else reads what a real server has answered. */
const OWNER_ONLY = 0o600;

/**
 * Writes the recordings of a host as a configuration file, which is a part beside others or one by itself. Beside them are the
 * settings alone that they need: others and other mocks may hold values of the environment.
 *
 * @throws CommandError when there are none, or the file cannot be written
 */
export async function writeRecordings(file: string, host: Host): Promise<void> {
  const blocks = host.kinds.flatMap(({ kind, enabled, protocol, mocks, service }) => {
    if (!enabled || protocol.recording === undefined) return [];
    const recorded = mocks.list().filter(({ id }) => String(id).startsWith(RECORDED_ID));
    if (recorded.length === 0) return [];
    const settings = service?.recordedSettings?.();
    return [[kind, { ...settings, [protocol.mocks.configKey]: recorded }] as const];
  });
  // A kind that shares a listener needs the one that has it.
  const givers = host.kinds.flatMap(({ kind, service }) => {
    const { share } = service?.recordedSettings?.() ?? {};
    return typeof share === 'string' && blocks.some(([name]) => name === kind) ? [[share, {}] as const] : [];
  });
  if (blocks.length === 0)
    throw new CommandError(
      `there is no recording, so that ${file} was not written; --upstream record_new records what the upstream answers`,
    );
  try {
    const written = await open(file, 'w', OWNER_ONLY);
    try {
      // A file that was there has the mode that it had; what is no file, such as a pipe, has that of others.
      if ((await written.stat()).isFile()) await written.chmod(OWNER_ONLY);
      await written.writeFile(configurationText({ protocols: Object.fromEntries([...givers, ...blocks]) }));
    } finally {
      await written.close();
    }
  } catch (thrown) {
    throw new CommandError(`cannot write ${file}: ${(thrown as Error).message}`);
  }
}

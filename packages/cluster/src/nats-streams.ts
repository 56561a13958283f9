import type { JetStreamManager } from '@nats-io/jetstream';

export const NONE_FOUND = 10_037;
export const WRONG_LAST = 10_071;
export const NO_STREAM = 10_059;

type StreamSettings = Parameters<JetStreamManager['streams']['add']>[0];

/** The code that JetStream gave for an error; undefined when it did not answer. */
export function codeOf(thrown: unknown): number | undefined {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

async function hasStream(manager: JetStreamManager, name: string): Promise<boolean> {
  try {
    await manager.streams.info(name);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== NO_STREAM) throw thrown;
    return false;
  }
}

/** Makes a stream, unless it is there. */
export async function makeStream(manager: JetStreamManager, settings: StreamSettings): Promise<void> {
  const { name } = settings;
  if (await hasStream(manager, name)) return;
  try {
    await manager.streams.add({ ...settings, storage: 'file' });
  } catch (thrown) {
    // The server refuses one of two that are made at the same moment, even with the same settings: another replica was first.
    if (codeOf(thrown) === undefined || !(await hasStream(manager, name))) throw thrown;
  }
}

import type { CodeFormat } from './code-format.js';
import type { Draft } from './drafts.js';

/** Reads and writes one way in which a mock is edited. */
export interface Codec {
  readonly format: CodeFormat;
  read(text: string): unknown;
  write(mock: Draft): string;
}

const JSON_CODEC: Codec = {
  format: 'json',
  read: (text) => JSON.parse(text) as unknown,
  write: (mock) => JSON.stringify(mock, undefined, 2),
};

/** The codec of a format. YAML is read by a library, which is loaded when it is first wanted. */
export async function codecOf(format: CodeFormat): Promise<Codec> {
  if (format === 'json') return JSON_CODEC;
  const { readYaml, writeYaml } = await import('./yaml.js');
  return { format, read: readYaml, write: writeYaml };
}

/** The mock that a text says; undefined while it is none. */
export function parse(text: string, codec: Codec): Draft | undefined {
  try {
    const value = codec.read(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Draft)
      : undefined;
  } catch {
    return undefined;
  }
}

import { parse, stringify } from 'yaml';

/** An object as YAML, as configuration files have it. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

/** What YAML says. @throws when it is none */
export function readYaml(text: string): unknown {
  return parse(text) as unknown;
}

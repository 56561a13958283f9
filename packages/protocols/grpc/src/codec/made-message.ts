import type { FieldKind, MessageType } from '../schema/model.js';
import { SCALARS } from './scalars.js';

type Plain = Record<string, unknown>;

/** Makes the value of a message of the fields that were read: {@link withDefaults}, or {@link asWritten}. */
export type Finish = (
  type: MessageType,
  plain: Plain,
  oneofs: ReadonlyMap<string, string> | undefined,
) => Plain;

/** In the order of the numbers, with what was not set. */
export function withDefaults(
  type: MessageType,
  plain: Plain,
  oneofs: ReadonlyMap<string, string> | undefined,
): Plain {
  const whole = Object.create(null) as Plain;
  for (const field of type.fields) {
    const { name, kind } = field;
    let value = plain[name];
    if (value !== undefined && field.oneof !== undefined && oneofs?.get(field.oneof) !== name) continue;
    if (value === undefined) {
      if (field.isRepeated) value = [];
      else if (kind.type === 'map') value = {};
      else if (!field.hasPresence) value = zeroOf(kind);
      else if (field.ownDefault !== undefined) value = field.ownDefault;
      else continue;
    }
    whole[name] = kind.type === 'map' ? { ...(value as Plain) } : value;
  }
  return whole;
}

/** What was on the wire alone, by the names that fields have in JSON. */
export function asWritten(
  type: MessageType,
  plain: Plain,
  oneofs: ReadonlyMap<string, string> | undefined,
): Plain {
  const written = Object.create(null) as Plain;
  for (const { name, jsonName, kind, oneof } of type.fields) {
    const value = plain[name];
    if (value === undefined || (oneof !== undefined && oneofs?.get(oneof) !== name)) continue;
    written[jsonName] = kind.type === 'map' ? { ...(value as Plain) } : value;
  }
  return written;
}

/** The value of a field that is not set. */
export function zeroOf(kind: FieldKind): unknown {
  if (kind.type === 'scalar') return SCALARS[kind.scalar].zero;
  return kind.type === 'enum' ? (kind.enum.byNumber.get(0) ?? kind.enum.first) : undefined;
}

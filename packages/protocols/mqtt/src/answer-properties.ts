import type { CompileTools, Template, ValueOf } from '@backlot/core/plugin';
import type { MqttMessage } from './message.js';
import type { MockSchema } from './schemas.js';
import {
  encodeByteProperty,
  encodeBytesProperty,
  encodeTextProperty,
  encodeUserProperty,
} from './wire/encode-properties.js';
import { PROPERTY } from './wire/properties.js';

const NO_BYTES = Buffer.alloc(0);

type Response = NonNullable<ValueOf<typeof MockSchema>['response']>;

/** The properties of MQTT 5 that an answer has. */
export interface CompiledProperties {
  /** In the order in which they are sent. */
  readonly texts: readonly (readonly [id: number, value: Template])[];
  readonly user: readonly (readonly [name: string, value: Template])[];
  readonly isText: boolean;
  /** Whether it has the correlation data of the message. */
  readonly echoes: boolean;
}

/** Compiles what a response says of them. */
export function compileProperties(response: Response, tools: CompileTools): CompiledProperties {
  const { correlation_data: correlation, payload_format_indicator: isText = false } = response;
  const own = [
    [PROPERTY.CONTENT_TYPE, 'content_type', response.content_type],
    [PROPERTY.RESPONSE_TOPIC, 'response_topic', response.response_topic],
    [PROPERTY.CORRELATION_DATA, 'correlation_data', correlation],
  ] as const;
  return {
    texts: own.flatMap(([id, name, source = '']) =>
      source === '' ? [] : [[id, tools.template(source, `/response/${name}`, { target: 'text' })] as const],
    ),
    user: Object.entries(response.user_properties ?? {}).flatMap(([name, values]) =>
      [values].flat().map((value) => {
        const at = `/response/user_properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` as const;
        return [name, tools.template(value, at, { target: 'text' })] as const;
      }),
    ),
    isText,
    echoes: correlation === undefined,
  };
}

/** The properties of one answer: their bytes, and what the journal shows of them. */
export interface AnswerProperties {
  readonly bytes: Buffer;
  readonly shown: Readonly<Record<string, string | readonly string[]>>;
}

const SHOWN: ReadonlyMap<number, string> = new Map<number, string>([
  [PROPERTY.CONTENT_TYPE, 'content-type'],
  [PROPERTY.RESPONSE_TOPIC, 'response-topic'],
  [PROPERTY.CORRELATION_DATA, 'correlation-data'],
]);

/**
 * Makes the properties of an answer.
 *
 * @throws RangeError when one of them is longer than MQTT can say, or a text that holds U+0000
 */
export function makeProperties(
  { texts, user, isText, echoes }: CompiledProperties,
  { properties, correlation }: MqttMessage,
  render: (template: Template) => string,
): AnswerProperties {
  const shown = Object.create(null) as Record<string, string | string[]>;
  const parts: Buffer[] = [];
  for (const [id, value] of texts) {
    const text = render(value);
    parts.push(
      id === PROPERTY.CORRELATION_DATA ? encodeBytesProperty(id, text) : encodeTextProperty(id, text),
    );
    shown[SHOWN.get(id) ?? ''] = text;
  }
  const echoed = echoes ? properties.binary(PROPERTY.CORRELATION_DATA) : undefined;
  if (echoed !== undefined) {
    parts.push(encodeBytesProperty(PROPERTY.CORRELATION_DATA, echoed));
    shown['correlation-data'] = correlation ?? '';
  }
  for (const [name, value] of user) {
    const text = render(value);
    parts.push(encodeUserProperty(name, text));
    const before = shown[name];
    if (before === undefined) shown[name] = text;
    else shown[name] = [before, text].flat();
  }
  if (isText) parts.push(encodeByteProperty(PROPERTY.PAYLOAD_FORMAT, 1));
  return { bytes: parts.length === 0 ? NO_BYTES : Buffer.concat(parts), shown };
}

/** Where spans go, and as what. */
export interface ExportSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The attributes of the resource, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  /** Milliseconds for which spans wait for others. */
  readonly delay: number;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DELAY = 1000;
const TIMEOUT = 10_000;
/** The longest delay and the longest time-out, so that a stop does not wait for ever. */
const LONGEST = 60_000;

/**
 * What OpenTelemetry's variables say of the export of traces.
 *
 * @returns undefined when they ask for none
 * @throws Error for what Backlot cannot do, which names the variable
 */
export function readExportSettings(env: Environment): ExportSettings | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole, OTEL_EXPORTER_OTLP_ENDPOINT: base } = env;
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';
  if (isOff || (!isGiven(whole) && !isGiven(base))) return undefined;
  const name = isGiven(whole) ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? '';
  if (!['', 'http/json', 'http/protobuf'].includes(protocol))
    throw new Error(
      `OTEL_EXPORTER_OTLP_PROTOCOL "${protocol}" is not spoken; spans go by HTTP as JSON, which what takes http/protobuf takes as well`,
    );
  const given = isGiven(whole) ? whole : `${(base ?? '').replace(/\/+$/, '')}/v1/traces`;
  const shown = isGiven(whole) ? whole : base;
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw new Error(`${name} "${shown}" is no url; it begins with http:// or https://`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`${name} "${shown}" must begin with http:// or https://`);
  return {
    url: url.href,
    headers: readPairs(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? env['OTEL_EXPORTER_OTLP_HEADERS']),
    resource: {
      'service.name': 'backlot',
      ...readPairs(env['OTEL_RESOURCE_ATTRIBUTES']),
      ...(isGiven(env['OTEL_SERVICE_NAME']) ? { 'service.name': env['OTEL_SERVICE_NAME'] } : {}),
    },
    delay: readTime(env['OTEL_BSP_SCHEDULE_DELAY'], DELAY),
    timeout: readTime(env['OTEL_EXPORTER_OTLP_TIMEOUT'], TIMEOUT),
  };
}

/** `key=value` with commas between, the values encoded as in baggage. */
function readPairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    return at < 0 || name === '' ? [] : [[name, decode(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readTime(text: string | undefined, usual: number): number {
  const time = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(time) && time >= 0 ? Math.min(time, LONGEST) : usual;
}

/** One value of a family, with what tells it from the others. */
export interface Sample {
  /** What follows the name of the family, such as `_bucket`; nothing when absent. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Values of one meaning. */
export interface Family {
  /** In base units, such as `_seconds`; that of a counter ends with `_total`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The text format of Prometheus, and OpenMetrics, which was made of it. */
export type MetricsFormat = 'prometheus' | 'openmetrics';

const TYPES: Readonly<Record<MetricsFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The format that a client asks for: OpenMetrics where it names that, else the text format. */
export function formatFor(accept: string | readonly string[] | undefined): MetricsFormat {
  const text = typeof accept === 'string' ? accept : (accept ?? []).join();
  return /application\/openmetrics-text(?![^,]*;\s*q=0(?:\.0*)?(?:[,;\s]|$))/i.test(text)
    ? 'openmetrics'
    : 'prometheus';
}

/** Writes families. Those without samples are left out. */
export function writeMetrics(
  families: readonly Family[],
  format: MetricsFormat,
): { readonly text: string; readonly contentType: string } {
  const lines: string[] = [];
  for (const { name, type, help, samples } of families) {
    if (samples.length === 0) continue;
    // The family of a counter is called as its sample in one format, and without its end in the other.
    const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
    lines.push(`# HELP ${family} ${escapeHelp(help, format)}`, `# TYPE ${family} ${type}`);
    for (const { suffix = '', labels = {}, value } of samples)
      lines.push(`${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}`);
  }
  if (format === 'openmetrics') lines.push('# EOF');
  return { text: `${lines.join('\n')}\n`, contentType: TYPES[format] };
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return written.length === 0 ? '' : `{${written.join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapeHelp(text: string, format: MetricsFormat): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
}

function writeNumber(value: number): string {
  if (value === Infinity) return '+Inf';
  return Number.isNaN(value) ? 'NaN' : String(value);
}

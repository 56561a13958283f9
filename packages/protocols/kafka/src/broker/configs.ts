/** The type of a setting, as DescribeConfigs has it. */
const TYPE = { boolean: 1, string: 2, int: 3, long: 5, double: 6, list: 7 } as const;

/** One setting with its default. */
export interface ConfigEntry {
  readonly name: string;
  readonly value: string;
  readonly type: number;
}

const entry = (name: string, value: string, type: keyof typeof TYPE): ConfigEntry => ({
  name,
  value,
  type: TYPE[type],
});

/** The largest batch that is taken, in bytes: Kafka's own default. */
export const MAX_BATCH = 1_048_588;

/** What a topic says of itself. */
export const TOPIC_CONFIGS: readonly ConfigEntry[] = [
  entry('cleanup.policy', 'delete', 'list'),
  entry('compression.type', 'producer', 'string'),
  entry('delete.retention.ms', '86400000', 'long'),
  entry('file.delete.delay.ms', '60000', 'long'),
  entry('flush.messages', '9223372036854775807', 'long'),
  entry('flush.ms', '9223372036854775807', 'long'),
  entry('index.interval.bytes', '4096', 'int'),
  entry('max.compaction.lag.ms', '9223372036854775807', 'long'),
  entry('max.message.bytes', String(MAX_BATCH), 'int'),
  entry('message.timestamp.type', 'CreateTime', 'string'),
  entry('min.cleanable.dirty.ratio', '0.5', 'double'),
  entry('min.compaction.lag.ms', '0', 'long'),
  entry('min.insync.replicas', '1', 'int'),
  entry('preallocate', 'false', 'boolean'),
  entry('retention.bytes', '-1', 'long'),
  entry('retention.ms', '604800000', 'long'),
  entry('segment.bytes', '1073741824', 'int'),
  entry('segment.index.bytes', '10485760', 'int'),
  entry('segment.jitter.ms', '0', 'long'),
  entry('segment.ms', '604800000', 'long'),
  entry('unclean.leader.election.enable', 'false', 'boolean'),
];

/** What the broker says of itself. */
export function brokerConfigs(autoCreatesTopics: boolean): readonly ConfigEntry[] {
  return [
    entry('auto.create.topics.enable', String(autoCreatesTopics), 'boolean'),
    entry('default.replication.factor', '1', 'int'),
    entry('delete.topic.enable', 'true', 'boolean'),
    entry('group.initial.rebalance.delay.ms', '100', 'int'),
    entry('log.retention.hours', '168', 'int'),
    entry('message.max.bytes', String(MAX_BATCH), 'int'),
    entry('num.partitions', '1', 'int'),
    entry('offsets.topic.replication.factor', '1', 'int'),
  ];
}

/** The longest value of a setting. */
const MAX_VALUE = 1000;

/** What the settings that are names or lists of names may say. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'cleanup.policy': ['delete', 'compact'],
  'compression.type': ['producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'],
  'message.timestamp.type': ['CreateTime', 'LogAppendTime'],
};

/** What is wrong with the name of a setting of a topic; `undefined` when nothing is. */
export function problemOfName(name: string): string | undefined {
  const isKnown = TOPIC_CONFIGS.some((config) => config.name === name);
  return isKnown ? undefined : `Unknown topic config name: ${name}`;
}

/** What is wrong with a setting of a topic; `undefined` when nothing is. @param isList - whether it must be a list */
export function problemOfConfig(name: string, value: string, isList = false): string | undefined {
  const config = TOPIC_CONFIGS.find((each) => each.name === name);
  if (config === undefined) return problemOfName(name);
  if (isList && config.type !== TYPE.list) return `${name} is no list: nothing is appended or subtracted.`;
  if (value.length > MAX_VALUE) return `${name} has ${value.length} characters; at most ${MAX_VALUE}.`;
  const expected = expectedOf(config, value);
  return expected && `Invalid value ${value} for configuration ${name}: it must be ${expected}.`;
}

/** What a value had to be; `undefined` when it is that. */
function expectedOf({ name, type }: ConfigEntry, value: string): string | undefined {
  const choices = CHOICES[name];
  switch (type) {
    case TYPE.boolean:
      return /^(true|false)$/i.test(value) ? undefined : 'true or false';
    case TYPE.int:
      return isInteger(value, 31) ? undefined : 'an integer of 32 bits';
    case TYPE.long:
      return isInteger(value, 63) ? undefined : 'an integer of 64 bits';
    case TYPE.double:
      return value.trim() !== '' && Number.isFinite(Number(value)) ? undefined : 'a number';
    default: {
      const items = type === TYPE.list ? value.split(',') : [value];
      const isGood = choices === undefined || items.every((item) => choices.includes(item.trim()));
      return isGood ? undefined : `${type === TYPE.list ? 'some' : 'one'} of ${choices.join(', ')}`;
    }
  }
}

function isInteger(value: string, bits: number): boolean {
  if (!/^[+-]?\d{1,19}$/.test(value)) return false;
  const number = BigInt(value.replace('+', ''));
  return number === BigInt.asIntN(bits + 1, number);
}

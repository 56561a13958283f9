import { FAKE_KINDS, type Random } from '@backlot/core/plugin';
import { isEnumType, type GraphQLLeafType } from 'graphql';

type Make = (random: Random) => unknown;

const fake =
  (kind: string): Make =>
  (random) =>
    FAKE_KINDS.get(kind)?.(random);
const int =
  (min: number, max: number): Make =>
  (random) =>
    random.int(min, max);

/** 2024-01-01, from which dates count: they have to be the same in each run, whatever the clock says. */
const FIRST_DAY = 1_704_067_200;
const SECONDS = 2 * 365 * 86_400;
const isoTime: Make = (random) => new Date((FIRST_DAY + random.int(0, SECONDS)) * 1000).toISOString();

/** Texts by the last words of a field's name, the first that fits. */
const BY_FIELD: readonly (readonly [RegExp, Make])[] = [
  [/e-?mail(address)?$/i, fake('email')],
  [/first_?name$/i, fake('first_name')],
  [/(last|family|sur)_?name$/i, fake('last_name')],
  [/(user_?name|login|handle)$/i, fake('username')],
  [/(company|organi[sz]ation)(_?name)?$/i, fake('company')],
  [/(phone|mobile|fax)(_?number)?$/i, fake('phone')],
  [/(url|uri|link|website|avatar|image|href)$/i, fake('url')],
  [/city$/i, fake('city')],
  [/country$/i, fake('country')],
  [/(street|address)$/i, fake('street')],
  [/(zip|postal)_?(code)?$/i, fake('zip')],
  [/(_at|At|_date|Date|timestamp)$/, isoTime],
  [/uuid$/i, (random) => random.uuid()],
  [/(title|description|summary|body|content|text|message|comment|bio)$/i, fake('sentence')],
  [/^(full_?name|name|display_?name|author|owner)$/i, fake('name')],
];

/** Values of scalars by what remains of their names in small letters. */
const BY_SCALAR: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['int', int(1, 1000)],
  ['float', (random) => random.int(0, 100_000) / 100],
  ['boolean', (random) => random.bool()],
  ['id', (random) => random.uuid()],
  ...names(
    'datetime timestamp instant datetimeiso isodatetime timestamptz offsetdatetime zoneddatetime',
    isoTime,
  ),
  ...names('date localdate isodate', (random) => String(isoTime(random)).slice(0, 10)),
  ...names('time localtime', (random) => `${String(isoTime(random)).slice(11, 19)}Z`),
  ...names('localdatetime', (random) => String(isoTime(random)).slice(0, 19)),
  ...names('uuid guid', (random) => random.uuid()),
  ...names('email emailaddress', fake('email')),
  ...names('url uri httpurl link', fake('url')),
  ...names('json jsonobject object map any', (random) => ({ value: fake('word')(random) })),
  ...names(
    'bigint long int64 uint64 positiveint nonnegativeint unsignedint uint int32 safeint',
    int(1, 1_000_000),
  ),
  ...names('byte short', int(1, 127)),
  ...names('double positivefloat nonnegativefloat', (random) => random.int(1, 100_000) / 100),
  ...names('decimal bigdecimal money', (random) => (random.int(1, 100_000) / 100).toFixed(2)),
  ...names(
    'phonenumber phone',
    (random) => `+1${random.int(201, 989)}55501${String(random.int(0, 99)).padStart(2, '0')}`,
  ),
  ...names('ip ipv4 ipaddress', fake('ip')),
  ...names('ipv6', fake('ipv6')),
  ...names(
    'hexcolorcode color hexcolor',
    (random) => `#${random.int(0, 0xffffff).toString(16).padStart(6, '0')}`,
  ),
  ...names('countrycode', (random) => random.pick(['DE', 'FR', 'JP', 'US'])),
  ...names('currency currencycode', (random) => random.pick(['EUR', 'GBP', 'JPY', 'USD'])),
  ...names('locale', (random) => random.pick(['de-DE', 'en-GB', 'fr-FR', 'ja-JP'])),
  ...names('timezone', (random) => random.pick(['Asia/Tokyo', 'Europe/Berlin', 'UTC'])),
  ...names('duration isoduration', (random) => `PT${random.int(1, 59)}M`),
  ...names('latitude', (random) => random.int(-90_000, 90_000) / 1000),
  ...names('longitude', (random) => random.int(-180_000, 180_000) / 1000),
  ...names('port', int(1024, 65_535)),
  ...names('postalcode zipcode', fake('zip')),
  ...names('base64 bytes bytea', (random) => Buffer.from(random.string(12)).toString('base64')),
  ...names('void', () => null),
]);

function names(list: string, make: Make): (readonly [string, Make])[] {
  return list.split(' ').map((name) => [name, make] as const);
}

/**
 * Makes the value of a leaf: for an enum one of its values, for a scalar what its name promises, for a text what the name
 * of its field promises.
 */
export function makeLeaf(type: GraphQLLeafType, field: string, random: Random): unknown {
  if (isEnumType(type)) return random.pick(type.getValues())?.value;
  const known = BY_SCALAR.get(type.name.toLowerCase().replaceAll('_', ''));
  if (known !== undefined) return known(random);
  const found = BY_FIELD.find(([pattern]) => pattern.test(field));
  return (found?.[1] ?? fake('word'))(random);
}

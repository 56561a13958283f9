import type { Random } from '../random/random.js';

const FIRST_NAMES = listOf(
  'Ada Ben Clara David Elena Felix Grace Hugo Iris Jonas Karin Liam Maya Noah Olivia Peter Rosa Samir Tara Victor',
);
const LAST_NAMES = listOf(
  'Adams Becker Costa Dubois Evans Fischer Garcia Hansen Ivanov Jones Kowalski Lopez Meyer Novak Okafor Patel Rossi Silva Tanaka Weber',
);
const COMPANY_NAMES = listOf(
  'Acorn Bluefield Cedar Driftwood Evergreen Foxglove Granite Harbor Juniper Lakeside Maple Northwind',
);
const COMPANY_FORMS = ['Inc', 'LLC', 'Ltd', 'Group', 'Partners', '& Sons'];
const CITIES = listOf(
  'Amsterdam Berlin Cairo Dublin Geneva Helsinki Lisbon Madrid Nairobi Osaka Prague Seattle Toronto Vienna Warsaw',
);
const COUNTRIES = listOf(
  'Argentina Brazil Canada Denmark Egypt Finland Germany India Japan Kenya Mexico Norway Poland Spain Vietnam',
);
const STREETS = listOf(
  'Birch Cherry Elm Garden Hill King Lake Mill Oak Park River School Spring Station Walnut',
);
const STREET_FORMS = ['Street', 'Avenue', 'Road', 'Lane'];
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'curl/8.8.0',
];
/** Reserved for documentation (RFC 2606, section 3), so nothing that is made up reaches anybody. */
const DOMAINS = ['example.com', 'example.org', 'example.net'];
/** Reserved for documentation (RFC 5737). */
const NETWORKS = ['192.0.2', '198.51.100', '203.0.113'];
const LOREM = listOf(
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua ' +
    'enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis aute irure in ' +
    'reprehenderit voluptate velit esse cillum fugiat nulla pariatur',
);

const one = (list: readonly string[], random: Random): string => random.pick(list) ?? '';
const firstName = (random: Random): string => one(FIRST_NAMES, random);
const lastName = (random: Random): string => one(LAST_NAMES, random);
const username = (random: Random): string =>
  `${firstName(random)}.${lastName(random)}${random.int(1, 999)}`.toLowerCase();

/** What `fake` can make, by kind. */
export const FAKE_KINDS: ReadonlyMap<string, (random: Random) => string> = new Map<
  string,
  (random: Random) => string
>([
  ['name', (random) => `${firstName(random)} ${lastName(random)}`],
  ['first_name', firstName],
  ['last_name', lastName],
  ['email', (random) => `${username(random)}@${one(DOMAINS, random)}`],
  ['username', username],
  // 555-0100 to 555-0199 are kept free for fiction in the North American plan.
  ['phone', (random) => `+1-${random.int(201, 989)}-555-01${String(random.int(0, 99)).padStart(2, '0')}`],
  ['company', (random) => `${one(COMPANY_NAMES, random)} ${one(COMPANY_FORMS, random)}`],
  ['city', (random) => one(CITIES, random)],
  ['country', (random) => one(COUNTRIES, random)],
  ['street', (random) => `${random.int(1, 250)} ${one(STREETS, random)} ${one(STREET_FORMS, random)}`],
  ['zip', (random) => String(random.int(10_000, 99_999))],
  ['ip', (random) => `${one(NETWORKS, random)}.${random.int(1, 254)}`],
  // RFC 3849: 2001:db8::/32 is reserved for documentation.
  ['ipv6', (random) => `2001:db8:${hexGroup(random)}:${hexGroup(random)}::${hexGroup(random)}`],
  ['url', (random) => `https://${one(DOMAINS, random)}/${one(LOREM, random)}/${random.int(1, 9999)}`],
  ['useragent', (random) => one(AGENTS, random)],
  ['word', (random) => one(LOREM, random)],
  ['sentence', sentence],
]);

/** The first `count` words of the lorem ipsum text, which repeats. */
export function loremWords(count: number): string {
  const words: string[] = [];
  for (let index = 0; index < count; index += 1) {
    words.push(LOREM[index % LOREM.length] ?? '');
  }
  return words.join(' ');
}

function sentence(random: Random): string {
  const words = Array.from({ length: random.int(5, 12) }, () => one(LOREM, random)).join(' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function hexGroup(random: Random): string {
  return random.int(1, 0xffff).toString(16);
}

function listOf(words: string): readonly string[] {
  return words.split(' ');
}

import type { Chance } from '../shared/chance.js';

const GIVEN = ['Ann', 'Ben', 'Clara', 'David', 'Elena', 'Farid', 'Grace', 'Hugo', 'Ines', 'Jonas'];
const FAMILY = [
  'Adams',
  'Berg',
  'Castro',
  'Dubois',
  'Evans',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ivanov',
  'Jones',
];
const CITIES = ['Berlin', 'Lisbon', 'Lyon', 'Oslo', 'Porto', 'Prague', 'Turin', 'Vienna'];
const WORDS = ['amber', 'basin', 'cedar', 'delta', 'ember', 'field', 'grove', 'harbor', 'island', 'juniper'];

const one = (list: readonly string[], chance: Chance): string => list[chance.int(0, list.length - 1)] ?? '';
const words = (count: number, chance: Chance): string =>
  Array.from({ length: count }, () => one(WORDS, chance)).join(' ');
const sentence = (chance: Chance): string => {
  const text = words(5, chance);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
};

/** What texts of a name usually are, the first that fits. Names are compared in lower case without separators. */
const KINDS: readonly (readonly [RegExp, (chance: Chance) => string])[] = [
  [/e?mail(address)?$/, (chance) => `${one(GIVEN, chance).toLowerCase()}${chance.int(1, 999)}@example.com`],
  [/(firstname|givenname)$/, (chance) => one(GIVEN, chance)],
  [/(lastname|familyname|surname)$/, (chance) => one(FAMILY, chance)],
  [
    /(fullname|displayname|ownername|authorname|customername)$/,
    (chance) => `${one(GIVEN, chance)} ${one(FAMILY, chance)}`,
  ],
  [
    /(username|login|nickname|handle)$/,
    (chance) => `${one(GIVEN, chance).toLowerCase()}${chance.int(1, 999)}`,
  ],
  [
    /(url|uri|href|link|website|homepage)$/,
    (chance) => `https://example.com/${one(WORDS, chance)}/${chance.int(1, 999)}`,
  ],
  [/(sha|hash|checksum|digest)$/, (chance) => chance.hex(40)],
  [/(token|secret|apikey)$/, (chance) => chance.hex(24)],
  [/uuid$|guid$/, (chance) => chance.uuid()],
  [/(^|[^a-z])id$|[a-z]id$/, (chance) => chance.hex(12)],
  [
    /(created|updated|modified|deleted|started|finished)(at|on|date)?$/,
    (chance) => `2024-0${chance.int(1, 9)}-1${chance.int(0, 9)}T12:00:00Z`,
  ],
  [/city$|town$/, (chance) => one(CITIES, chance)],
  [/countrycode$/, (chance) => one(['AT', 'DE', 'ES', 'FR', 'NO', 'PT'], chance)],
  [/country$/, (chance) => one(['Austria', 'France', 'Germany', 'Norway', 'Portugal', 'Spain'], chance)],
  [/(street|address|addressline1|line1)$/, (chance) => `${chance.int(1, 99)} ${one(FAMILY, chance)} Street`],
  [/(postalcode|postcode|zip|zipcode)$/, (chance) => String(chance.int(10_000, 99_999))],
  [/phone(number)?$|mobile$/, (chance) => `+1 555 01${chance.int(10, 99)}`],
  [/currency(code)?$/, (chance) => one(['EUR', 'GBP', 'USD'], chance)],
  [/(locale|language|lang)$/, (chance) => one(['de', 'en', 'fr', 'pt'], chance)],
  [/colou?r$/, (chance) => `#${chance.hex(6)}`],
  [/version$/, (chance) => `${chance.int(1, 5)}.${chance.int(0, 9)}.${chance.int(0, 9)}`],
  [/(slug|key|code)$/, (chance) => words(2, chance).replace(' ', '-')],
  [/(description|summary|text|message|comment|body|note|notes|detail|reason|bio)$/, sentence],
  [/(title|name|label|subject|company|organization)$/, (chance) => words(2, chance)],
];

/** A text as it usually stands under a name; `undefined` for a name that says nothing. */
export function textOfName(name: string, chance: Chance): string | undefined {
  const plain = name
    .slice(-100)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
  return KINDS.find(([form]) => form.test(plain))?.[1](chance);
}

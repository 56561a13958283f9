/** How values of an attribute compare (RFC 4517, section 4.2). */
export type Syntax = 'ignore' | 'exact' | 'integer' | 'dn' | 'telephone' | 'octets' | 'class' | 'time';

/** Short and long names and object identifiers of one attribute (RFC 4519), all in lower case; the first one stands for all. */
const ALIASES: readonly (readonly string[])[] = [
  ['cn', 'commonname', '2.5.4.3'],
  ['sn', 'surname', '2.5.4.4'],
  ['c', 'countryname', '2.5.4.6'],
  ['l', 'localityname', '2.5.4.7'],
  ['st', 'stateorprovincename', '2.5.4.8'],
  ['street', 'streetaddress', '2.5.4.9'],
  ['o', 'organizationname', '2.5.4.10'],
  ['ou', 'organizationalunitname', '2.5.4.11'],
  ['title', '2.5.4.12'],
  ['description', '2.5.4.13'],
  ['telephonenumber', '2.5.4.20'],
  ['member', '2.5.4.31'],
  ['userpassword', '2.5.4.35'],
  ['givenname', 'gn', '2.5.4.42'],
  ['objectclass', '2.5.4.0'],
  ['uid', 'userid', '0.9.2342.19200300.100.1.1'],
  ['mail', 'rfc822mailbox', '0.9.2342.19200300.100.1.3'],
  ['dc', 'domaincomponent', '0.9.2342.19200300.100.1.25'],
];

const SYNTAXES: Readonly<Record<Exclude<Syntax, 'ignore'>, readonly string[]>> = {
  exact: ['homedirectory', 'loginshell', 'memberuid', 'labeleduri', 'unixhomedirectory', 'entryuuid', 'ref'],
  integer: [
    'uidnumber',
    'gidnumber',
    'shadowlastchange',
    'shadowmin',
    'shadowmax',
    'shadowwarning',
    'shadowinactive',
    'shadowexpire',
    'useraccountcontrol',
    'grouptype',
    'samaccounttype',
    'pwdlastset',
    'accountexpires',
  ],
  dn: [
    'member',
    'uniquemember',
    'owner',
    'manager',
    'secretary',
    'seealso',
    'roleoccupant',
    'memberof',
    'distinguishedname',
    'aliasedobjectname',
    'entrydn',
    'creatorsname',
    'modifiersname',
    'managedby',
    'directreports',
  ],
  telephone: ['telephonenumber', 'mobile', 'homephone', 'pager', 'facsimiletelephonenumber'],
  octets: [
    'userpassword',
    'jpegphoto',
    'photo',
    'audio',
    'thumbnailphoto',
    'thumbnaillogo',
    'usercertificate',
    'cacertificate',
    'certificaterevocationlist',
    'authorityrevocationlist',
    'crosscertificatepair',
    'userpkcs12',
    'usersmimecertificate',
    'objectguid',
    'objectsid',
  ],
  class: ['objectclass'],
  time: ['createtimestamp', 'modifytimestamp', 'whencreated', 'whenchanged'],
};

/** Attributes whose values are written in base64, since they are no text. */
const BINARY = new Set(SYNTAXES.octets.filter((name) => name !== 'userpassword'));

const OPERATIONAL = new Set([
  'entrydn',
  'entryuuid',
  'createtimestamp',
  'modifytimestamp',
  'creatorsname',
  'modifiersname',
  'hassubordinates',
  'subschemasubentry',
  'objectclasses',
  'attributetypes',
  'ldapsyntaxes',
  'structuralobjectclass',
  'namingcontexts',
  'supportedcontrol',
  'supportedextension',
  'supportedfeatures',
  'supportedldapversion',
  'supportedsaslmechanisms',
  'vendorname',
  'vendorversion',
]);

/** Superior object classes (RFC 4519, section 3, and RFC 2798), without `top`, which all have. */
const SUPERIORS: ReadonlyMap<string, string> = new Map([
  ['inetorgperson', 'organizationalperson'],
  ['user', 'organizationalperson'],
  ['organizationalperson', 'person'],
  ['residentialperson', 'person'],
]);

const CANONICAL = new Map(ALIASES.flatMap((names) => names.map((name) => [name, names[0] ?? name] as const)));
const SYNTAX_OF = new Map(
  Object.entries(SYNTAXES).flatMap(([syntax, names]) =>
    names.map((name) => [name, syntax as Syntax] as const),
  ),
);

const NAME = /^(?:[A-Za-z][A-Za-z0-9-]*|(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+)(?:;[A-Za-z0-9-]+)*$/;

/** The type that a name, in whatever case, stands for, in lower case and without options. */
export function canonicalType(name: string): string {
  const end = name.indexOf(';');
  const lower = (end < 0 ? name : name.slice(0, end)).toLowerCase();
  return CANONICAL.get(lower) ?? lower;
}

const NO_OPTIONS: readonly string[] = [];

/** The options of a name, such as `binary` or `lang-de`, in lower case. */
export function optionsOf(name: string): readonly string[] {
  return name.includes(';') ? name.toLowerCase().split(';').slice(1) : NO_OPTIONS;
}

/** Whether a text is an attribute description (RFC 4512, section 2.5). */
export function isAttributeName(name: string): boolean {
  return NAME.test(name);
}

/** Whether an attribute is sent only to those who ask for it by name or with `+`. */
export function isOperational(type: string): boolean {
  return OPERATIONAL.has(type);
}

/** Whether values of an attribute are written in base64. */
export function isBinary(name: string): boolean {
  return BINARY.has(canonicalType(name)) || optionsOf(name).includes('binary');
}

/** How values of a type compare. */
export function syntaxOf(type: string): Syntax {
  return SYNTAX_OF.get(type) ?? 'ignore';
}

/** Whether an object class is another one or below it. */
export function isClassWithin(name: string, wanted: string): boolean {
  if (wanted === 'top') return true;
  for (let at: string | undefined = name; at !== undefined; at = SUPERIORS.get(at)) {
    if (at === wanted) return true;
  }
  return false;
}

import { parseDn } from '../data/dn.js';
import { Attribute, Entry } from '../data/entry.js';

/** The name of the entry that holds the schema, which the root DSE tells (RFC 4512, section 4.4). */
export const SCHEMA_DN = parseDn('cn=schema');

/** Syntaxes by the short names of the table below (RFC 4517, section 3.3), and how their values compare. */
const SYNTAXES = {
  text: ['1.3.6.1.4.1.1466.115.121.1.15', 'EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch'],
  exact: ['1.3.6.1.4.1.1466.115.121.1.26', 'EQUALITY caseExactIA5Match'],
  ia5: ['1.3.6.1.4.1.1466.115.121.1.26', 'EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch'],
  phone: [
    '1.3.6.1.4.1.1466.115.121.1.50',
    'EQUALITY telephoneNumberMatch SUBSTR telephoneNumberSubstringsMatch',
  ],
  dn: ['1.3.6.1.4.1.1466.115.121.1.12', 'EQUALITY distinguishedNameMatch'],
  oid: ['1.3.6.1.4.1.1466.115.121.1.38', 'EQUALITY objectIdentifierMatch'],
  integer: ['1.3.6.1.4.1.1466.115.121.1.27', 'EQUALITY integerMatch ORDERING integerOrderingMatch'],
  octets: ['1.3.6.1.4.1.1466.115.121.1.40', 'EQUALITY octetStringMatch'],
  image: ['1.3.6.1.4.1.1466.115.121.1.28', ''],
  certificate: ['1.3.6.1.4.1.1466.115.121.1.8', ''],
  time: [
    '1.3.6.1.4.1.1466.115.121.1.24',
    'EQUALITY generalizedTimeMatch ORDERING generalizedTimeOrderingMatch',
  ],
  boolean: ['1.3.6.1.4.1.1466.115.121.1.7', 'EQUALITY booleanMatch'],
  attributeType: ['1.3.6.1.4.1.1466.115.121.1.3', 'EQUALITY objectIdentifierFirstComponentMatch'],
  objectClass: ['1.3.6.1.4.1.1466.115.121.1.37', 'EQUALITY objectIdentifierFirstComponentMatch'],
  ldapSyntax: ['1.3.6.1.4.1.1466.115.121.1.54', 'EQUALITY objectIdentifierFirstComponentMatch'],
  uuid: ['1.3.6.1.1.16.1', 'EQUALITY UUIDMatch ORDERING UUIDOrderingMatch'],
} as const;

/**
 * Object identifier, names, syntax; then which have one value (`single`), are written by the server alone (`fixed`), and belong to the
 * working of the directory (`directory`) or of one server (`server`).
 */
const ATTRIBUTES: readonly string[] = [
  '2.5.4.0 objectClass oid',
  '2.5.4.3 cn,commonName text',
  '2.5.4.4 sn,surname text',
  '2.5.4.6 c,countryName text single',
  '2.5.4.7 l,localityName text',
  '2.5.4.8 st,stateOrProvinceName text',
  '2.5.4.9 street,streetAddress text',
  '2.5.4.10 o,organizationName text',
  '2.5.4.11 ou,organizationalUnitName text',
  '2.5.4.12 title text',
  '2.5.4.13 description text',
  '2.5.4.16 postalAddress text',
  '2.5.4.17 postalCode text',
  '2.5.4.20 telephoneNumber phone',
  '2.5.4.31 member dn',
  '2.5.4.32 owner dn',
  '2.5.4.34 seeAlso dn',
  '2.5.4.35 userPassword octets',
  '2.5.4.36 userCertificate certificate',
  '2.5.4.42 givenName,gn text',
  '2.5.4.43 initials text',
  '2.5.4.50 uniqueMember dn',
  '0.9.2342.19200300.100.1.1 uid,userid text',
  '0.9.2342.19200300.100.1.3 mail,rfc822Mailbox ia5',
  '0.9.2342.19200300.100.1.10 manager dn',
  '0.9.2342.19200300.100.1.20 homePhone phone',
  '0.9.2342.19200300.100.1.25 dc,domainComponent ia5 single',
  '0.9.2342.19200300.100.1.41 mobile phone',
  '0.9.2342.19200300.100.1.60 jpegPhoto image',
  '2.16.840.1.113730.3.1.2 departmentNumber text',
  '2.16.840.1.113730.3.1.3 employeeNumber text single',
  '2.16.840.1.113730.3.1.4 employeeType text',
  '2.16.840.1.113730.3.1.39 preferredLanguage text single',
  '2.16.840.1.113730.3.1.34 ref exact',
  '2.16.840.1.113730.3.1.241 displayName text single',
  '1.3.6.1.1.1.1.0 uidNumber integer single',
  '1.3.6.1.1.1.1.1 gidNumber integer single',
  '1.3.6.1.1.1.1.2 gecos ia5 single',
  '1.3.6.1.1.1.1.3 homeDirectory exact single',
  '1.3.6.1.1.1.1.4 loginShell exact single',
  '1.3.6.1.1.1.1.12 memberUid exact',
  '1.2.840.113556.1.2.102 memberOf dn',
  '1.2.840.113556.1.4.2 objectGUID octets single',
  '1.2.840.113556.1.4.221 sAMAccountName text single',
  '1.2.840.113556.1.4.656 userPrincipalName text single',
  '1.3.6.1.1.20 entryDN dn single fixed directory',
  '1.3.6.1.1.16.4 entryUUID uuid single fixed directory',
  '2.5.18.1 createTimestamp time single fixed directory',
  '2.5.18.2 modifyTimestamp time single fixed directory',
  '2.5.18.3 creatorsName dn single fixed directory',
  '2.5.18.4 modifiersName dn single fixed directory',
  '2.5.18.9 hasSubordinates boolean single fixed directory',
  '2.5.18.10 subschemaSubentry dn single fixed directory',
  '2.5.21.5 attributeTypes attributeType directory',
  '2.5.21.6 objectClasses objectClass directory',
  '2.5.21.9 structuralObjectClass oid single fixed directory',
  '1.3.6.1.4.1.1466.101.120.16 ldapSyntaxes ldapSyntax directory',
  // Those of the root DSE (RFC 4512, section 5.1, and RFC 3045).
  '1.3.6.1.4.1.1466.101.120.5 namingContexts dn server',
  '1.3.6.1.4.1.1466.101.120.7 supportedExtension oid server',
  '1.3.6.1.4.1.1466.101.120.13 supportedControl oid server',
  '1.3.6.1.4.1.1466.101.120.14 supportedSASLMechanisms text server',
  '1.3.6.1.4.1.1466.101.120.15 supportedLDAPVersion integer server',
  '1.3.6.1.4.1.4203.1.3.5 supportedFeatures oid server',
  '1.3.6.1.1.4 vendorName text single fixed server',
  '1.3.6.1.1.5 vendorVersion text single fixed server',
];

const CLASSES: readonly string[] = [
  "( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )",
  "( 2.5.6.2 NAME 'country' SUP top STRUCTURAL MUST c MAY description )",
  "( 2.5.6.3 NAME 'locality' SUP top STRUCTURAL MAY ( street $ seeAlso $ st $ l $ description ) )",
  "( 2.5.6.4 NAME 'organization' SUP top STRUCTURAL MUST o MAY ( userPassword $ seeAlso $ postalAddress $ postalCode $ street $ telephoneNumber $ st $ l $ description ) )",
  "( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou MAY ( userPassword $ seeAlso $ postalAddress $ postalCode $ street $ telephoneNumber $ st $ l $ description ) )",
  "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) MAY ( userPassword $ telephoneNumber $ seeAlso $ description ) )",
  "( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL MAY ( title $ street $ postalAddress $ postalCode $ ou $ st $ l ) )",
  "( 2.16.840.1.113730.3.2.2 NAME 'inetOrgPerson' SUP organizationalPerson STRUCTURAL MAY ( departmentNumber $ displayName $ employeeNumber $ employeeType $ givenName $ homePhone $ initials $ jpegPhoto $ mail $ manager $ mobile $ o $ preferredLanguage $ uid $ userCertificate ) )",
  "( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL MUST ( member $ cn ) MAY ( owner $ ou $ o $ seeAlso $ description ) )",
  "( 2.5.6.17 NAME 'groupOfUniqueNames' SUP top STRUCTURAL MUST ( uniqueMember $ cn ) MAY ( owner $ ou $ o $ seeAlso $ description ) )",
  "( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY MUST dc )",
  "( 0.9.2342.19200300.100.4.13 NAME 'domain' SUP top STRUCTURAL MUST dc MAY ( o $ description ) )",
  "( 0.9.2342.19200300.100.4.5 NAME 'account' SUP top STRUCTURAL MUST uid MAY ( description $ seeAlso $ l $ o $ ou ) )",
  "( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY MUST ( cn $ uid $ uidNumber $ gidNumber $ homeDirectory ) MAY ( userPassword $ loginShell $ gecos $ description ) )",
  "( 1.3.6.1.1.1.2.2 NAME 'posixGroup' SUP top STRUCTURAL MUST ( cn $ gidNumber ) MAY ( userPassword $ memberUid $ description ) )",
  "( 2.16.840.1.113730.3.2.6 NAME 'referral' SUP top STRUCTURAL MUST ref )",
];

let made: Entry | undefined;

/** What is commonly used, for clients that ask before they write; it is not enforced (RFC 4512, section 4.2). */
export function makeSchemaEntry(): Entry {
  return (made ??= new Entry(
    SCHEMA_DN,
    Object.entries({
      objectClass: ['top', 'subentry', 'subschema'],
      cn: ['schema'],
      objectClasses: CLASSES,
      attributeTypes: ATTRIBUTES.map(describeAttribute),
      ldapSyntaxes: [...new Set(Object.values(SYNTAXES).map(([oid]) => oid))].map((oid) => `( ${oid} )`),
      subschemaSubentry: [SCHEMA_DN.text],
    }).map(
      ([name, values]) =>
        new Attribute(
          name,
          values.map((value) => Buffer.from(value)),
        ),
    ),
  ));
}

/** RFC 4512, section 4.1.2. */
function describeAttribute(line: string): string {
  const [oid = '', names = '', syntax = '', ...more] = line.split(' ');
  const quoted = names.split(',').map((name) => `'${name}'`);
  const name = quoted.length === 1 ? quoted.join('') : `( ${quoted.join(' ')} )`;
  const [syntaxOid, rules] = SYNTAXES[syntax as keyof typeof SYNTAXES];
  return [
    `( ${oid} NAME ${name}`,
    ...(rules === '' ? [] : [rules]),
    `SYNTAX ${syntaxOid}`,
    ...(more.includes('single') ? ['SINGLE-VALUE'] : []),
    ...(more.includes('fixed') ? ['NO-USER-MODIFICATION'] : []),
    ...(more.includes('directory') ? ['USAGE directoryOperation'] : []),
    ...(more.includes('server') ? ['USAGE dSAOperation'] : []),
    ')',
  ].join(' ');
}

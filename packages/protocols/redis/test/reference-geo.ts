import { xorshift32 } from '@backlot/conformance';

/** What is said to both servers about places. */
export const GEO_SCRIPTS: readonly string[] = [
  `GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
  GEOADD g 13.361389 38.115556 Palermo
  GEOADD g CH 13.5 38.2 Palermo 2.35 48.85 Paris
  GEOADD g NX 1 1 Palermo 1 1 Null
  GEOADD g XX CH 13.361389 38.115556 Palermo 5 5 Nobody
  GEOADD g XX NX 1 1 a
  GEOADD none XX 1 1 a
  GEOADD g 181 1 a
  GEOADD g 1 86 a
  GEOADD g x 1 a
  GEOADD g 1 1 a 2
  GEOADD g 1 1
  ZRANGE g 0 -1 WITHSCORES
  GEODIST g Palermo Catania
  GEODIST g Palermo Catania km
  GEODIST g Palermo Catania MI
  GEODIST g Palermo Catania ft
  GEODIST g Palermo Catania bad
  GEODIST g Palermo Catania km x
  GEODIST g Palermo nobody
  GEODIST g Palermo Palermo
  GEODIST none a b
  GEOHASH g Palermo Catania nobody
  GEOHASH none a
  GEOHASH g
  GEOPOS g Palermo Catania nobody Null
  GEOPOS none a
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km DESC WITHCOORD WITHDIST WITHHASH
  GEOSEARCH g FROMMEMBER Palermo BYBOX 400 400 km WITHDIST
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 5000 km COUNT 2 WITHDIST
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 5000 km COUNT 2 ANY
  GEOSEARCH g FROMMEMBER nobody BYRADIUS 1 km
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS -1 km
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS x km
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 bad
  GEOSEARCH g FROMMEMBER Palermo BYBOX -1 1 km
  GEOSEARCH g FROMMEMBER Palermo BYBOX x 1 km
  GEOSEARCH g FROMMEMBER Palermo BYBOX 1 x km
  GEOSEARCH g FROMMEMBER Palermo WITHDIST WITHHASH ASC
  GEOSEARCH g BYRADIUS 1 km WITHDIST WITHHASH
  GEOSEARCH g FROMMEMBER Palermo FROMLONLAT 1 1 BYRADIUS 1 km
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 km BYBOX 1 1 km
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 km ANY
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 km COUNT 0
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 km COUNT x
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 km STORE x
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 km BAD
  GEOSEARCH g FROMLONLAT 200 1 BYRADIUS 1 km
  GEOSEARCH none FROMLONLAT 1 1 BYRADIUS 1 km
  GEOSEARCH none FROMMEMBER x BYRADIUS 1 km
  GEOSEARCHSTORE out g FROMMEMBER Palermo BYRADIUS 200 km
  ZRANGE out 0 -1 WITHSCORES
  GEOSEARCHSTORE out g FROMMEMBER Palermo BYRADIUS 200 km STOREDIST
  ZRANGE out 0 -1
  GEOSEARCHSTORE out g FROMMEMBER Palermo BYRADIUS 200 km WITHDIST
  GEOSEARCHSTORE out g FROMLONLAT 100 1 BYRADIUS 1 km
  EXISTS out
  GEOSEARCHSTORE out none FROMLONLAT 100 1 BYRADIUS 1 km
  GEORADIUS g 15 37 200 km WITHDIST ASC
  GEORADIUS g 15 37 200 km STORE out
  GEORADIUS g 15 37 200 km STORE out WITHDIST
  GEORADIUS g 15 37 200 km BYBOX 1 1 km
  GEORADIUS g 15 37 x km
  GEORADIUS g 15 37 -1 km
  GEORADIUS g 15 37 1 bad
  GEORADIUS_RO g 15 37 200 km COUNT 1
  GEORADIUS_RO g 15 37 200 km STORE x
  GEORADIUSBYMEMBER g Palermo 200 km DESC
  GEORADIUSBYMEMBER g nobody 200 km
  GEORADIUSBYMEMBER none nobody 200 km
  GEORADIUSBYMEMBER g Palermo 200 km STOREDIST out
  GEORADIUSBYMEMBER_RO g Palermo 200 km WITHHASH ASC
  GEORADIUS none 15 37 200 km
  SET str x
  GEOADD str 1 1 a
  GEOPOS str a
  GEOSEARCH str FROMLONLAT 1 1 BYRADIUS 1 km
  GEODIST str a b
  GEOADD`,
  seeded(21),
  seeded(22),
];

/** Searches by chance among places by chance: what is found, and in which order. */
function seeded(seed: number): string {
  const number = xorshift32(seed);
  const longitude = (): string => (number(360_000) / 1000 - 180).toFixed(4);
  const latitude = (): string => (number(170_000) / 1000 - 85).toFixed(4);
  const lines = Array.from(
    { length: 60 },
    (_, line) =>
      `GEOADD g ${[0, 1, 2, 3].map((n) => `${longitude()} ${latitude()} m${4 * line + n}`).join(' ')}`,
  );
  for (let line = 0; line < 150; line += 1) {
    const from = number(2) === 0 ? `FROMMEMBER m${number(240)}` : `FROMLONLAT ${longitude()} ${latitude()}`;
    const size = 10 ** (1 + number(4));
    const by = number(2) === 0 ? `BYRADIUS ${number(size)} km` : `BYBOX ${number(size)} ${number(size)} mi`;
    const rest =
      ['', 'ASC WITHDIST', 'COUNT 3', 'COUNT 2 ANY', 'DESC WITHCOORD', 'WITHHASH'][number(6)] ?? '';
    lines.push(`GEOSEARCH g ${from} ${by} ${rest}`);
  }
  return lines.join('\n');
}

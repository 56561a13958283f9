import { createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto';

/** What stands before the 32 bytes of a private key of Ed25519 in PKCS #8 (RFC 8410). */
const BEGIN = Buffer.from('302e020100300506032b657004220420', 'hex');
let known;

function keyOf(seed) {
  if (known?.seed === seed) return known.key;
  const bytes = Buffer.from(seed);
  if (bytes.length !== 32) throw new Error(`vars.discord.seed must have 32 bytes, has ${bytes.length}`);
  const key = createPrivateKey({ key: Buffer.concat([BEGIN, bytes]), format: 'der', type: 'pkcs8' });
  known = { seed, key };
  return key;
}

/** Sends an interaction to the url of the application, signed. */
export function sendSigned(context, url, payload) {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(context.clock.now() / 1000));
  const signature = signBytes(null, Buffer.from(timestamp + body), keyOf(context.vars.discord.seed));
  context.webhook({
    url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Discord-Interactions/1.0 (+https://discord.com)',
      'X-Signature-Timestamp': timestamp,
      'X-Signature-Ed25519': signature.toString('hex'),
    },
    body,
  });
}

/** The public key as Discord shows it. */
export function publicKeyOf(seed) {
  return createPublicKey(keyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
}

import { createRequire } from 'node:module';
import { nextTurn } from '@backlot/core/plugin';
import type * as Selfsigned from 'selfsigned';

type Library = typeof Selfsigned;

/**
 * What the library that makes certificates is made of, in the order in which it loads it, each by the names from the library down. Whole, it
 * takes 100 ms to load; the longest of these takes a fifth of it.
 */
export const PARTS: readonly (readonly string[])[] = [
  ['reflect-metadata'],
  ['@peculiar/asn1-schema', 'asn1js'],
  ['@peculiar/asn1-schema', '@peculiar/utils'],
  ['@peculiar/asn1-schema'],
  ['@peculiar/asn1-x509'],
  ['@peculiar/asn1-cms', '@peculiar/asn1-x509-attr'],
  ['@peculiar/asn1-cms'],
  ['@peculiar/asn1-ecc'],
  ['@peculiar/asn1-rsa'],
  ['tsyringe'],
  ['@peculiar/asn1-pkcs9'],
  ['@peculiar/asn1-csr'],
  [],
].map((names) => ['selfsigned', '@peculiar/x509', ...names]);

let loading: Promise<Library> | undefined;

/**
 * The library that makes certificates. It is loaded when it is first asked for, since servers without TLS should not pay for it, and then a part in
 * each turn of the event loop, since others are served meanwhile.
 */
export function certificateGenerator(): Promise<Library> {
  return (loading ??= load());
}

async function load(): Promise<Library> {
  for (const names of PARTS) {
    loadPart(names);
    await nextTurn();
  }
  return import('selfsigned');
}

/** Loads one part. What is not found by its name, as in a bundle, comes with the whole. */
export function loadPart(names: readonly string[]): boolean {
  let from = createRequire(import.meta.url);
  try {
    for (const name of names.slice(0, -1)) from = createRequire(from.resolve(name));
    from(names.at(-1) ?? '');
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return false;
    throw thrown;
  }
}

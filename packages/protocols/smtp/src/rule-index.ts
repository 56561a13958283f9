import {
  insertByRank,
  isBucket,
  removeByRank,
  withMock,
  withoutMock,
  type Bucket,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { domainOf, type Hint } from './hints.js';
import type { MailMessage } from './mail-message.js';
import type { CompiledRule } from './matcher.js';

type Rule = IndexedMock<CompiledRule>;
type Found = Candidates<CompiledRule>[];

/** Rules by one field that they say exactly. */
class FieldIndex {
  readonly #exact = new Map<string, Candidates<CompiledRule>>();
  readonly #domains = new Map<string, Candidates<CompiledRule>>();
  /** All of them, for a message whose field is not known yet: the first of them is then as good as any. */
  readonly #all: Bucket<CompiledRule> = [];

  add({ type, text }: Hint, rule: Rule): void {
    const map = type === 'exact' ? this.#exact : this.#domains;
    map.set(text, withMock(map.get(text), rule));
    insertByRank(this.#all, rule);
  }

  remove({ type, text }: Hint, rule: Rule): void {
    const map = type === 'exact' ? this.#exact : this.#domains;
    const left = withoutMock(map.get(text), rule);
    if (left === undefined) map.delete(text);
    else map.set(text, left);
    removeByRank(this.#all, rule);
  }

  findAll(found: Found): void {
    if (this.#all.length > 0) found.push(this.#all);
  }

  find(value: string, found: Found): void {
    const same = this.#exact.get(value);
    if (same !== undefined) found.push(same);
  }

  /** Finds by an address in any case and by its domain. */
  findAddress(address: string, found: Found): void {
    if (this.#all.length === 0) return;
    this.find(address.toLowerCase(), found);
    const domain = this.#domains.size === 0 ? undefined : domainOf(address);
    const below = domain === undefined ? undefined : this.#domains.get(domain);
    if (below !== undefined) found.push(below);
  }
}

/**
 * Finds rules by sender, recipient or subject, whichever they say exactly, so that their number does not matter. Only
 * rules that say none of it are asked one by one.
 */
export class RuleIndex implements MockIndex<MailMessage, CompiledRule> {
  readonly #from = new FieldIndex();
  readonly #to = new FieldIndex();
  readonly #subject = new FieldIndex();
  readonly #others: Bucket<CompiledRule> = [];

  add(rule: Rule): void {
    const place = this.#placeOf(rule);
    if (place === undefined) insertByRank(this.#others, rule);
    else place.field.add(place.hint, rule);
  }

  remove(rule: Rule): void {
    const place = this.#placeOf(rule);
    if (place === undefined) removeByRank(this.#others, rule);
    else place.field.remove(place.hint, rule);
  }

  find(message: MailMessage, found: Found): void {
    this.#from.findAddress(message.from, found);
    const { recipients } = message;
    if (recipients === undefined) this.#to.findAll(found);
    else this.#findRecipients(recipients, found);
    if (!message.isComplete) this.#subject.findAll(found);
    else if (message.subject !== undefined) this.#subject.find(message.subject, found);
    if (this.#others.length > 0) found.push(this.#others);
  }

  /** Whether some rule, in whatever place, can refuse the recipient at once. */
  canRefuse(from: string, recipient: string): boolean {
    const found: Found = [this.#others];
    this.#from.findAddress(from, found);
    this.#to.findAddress(recipient, found);
    return found.some((candidates) =>
      isBucket(candidates)
        ? candidates.some(({ compiled }) => compiled.refusesEarly)
        : candidates.compiled.refusesEarly,
    );
  }

  #findRecipients(recipients: readonly string[], found: Found): void {
    if (recipients.length === 1) {
      this.#to.findAddress(recipients[0] ?? '', found);
      return;
    }
    // Two recipients of one domain would bring the same rules twice.
    const all: Found = [];
    for (const recipient of recipients) this.#to.findAddress(recipient, all);
    for (const candidates of new Set(all)) found.push(candidates);
  }

  #placeOf({ compiled }: Rule): { readonly field: FieldIndex; readonly hint: Hint } | undefined {
    const { fromHint, toHint, subjectHint } = compiled;
    if (fromHint !== undefined) return { field: this.#from, hint: fromHint };
    if (toHint !== undefined) return { field: this.#to, hint: toHint };
    return subjectHint === undefined ? undefined : { field: this.#subject, hint: subjectHint };
  }
}

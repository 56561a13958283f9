import { ComposedIndex, ExactIndex, listMocks, type Candidates, type Change } from '@backlot/core/plugin';
import { domainOf, type Hint } from './hints.js';
import type { MailMessage } from './message.js';
import type { CompiledRule } from './matcher.js';

type Held = Candidates<CompiledRule>;

/** Rules by one field that they say exactly. */
class FieldIndex {
  readonly #exact = new ExactIndex<string, Held>();
  readonly #domains = new ExactIndex<string, Held>();
  /** All of them, for a message whose field is not known yet: the first of them is then as good as any. */
  readonly #all = new ExactIndex<undefined, Held>();

  change({ type, text }: Hint, change: Change<Held>): void {
    (type === 'exact' ? this.#exact : this.#domains).change(text, change);
    this.#all.change(undefined, change);
  }

  findAll(found: Held[]): void {
    this.#all.find(undefined, found);
  }

  find(value: string, found: Held[]): void {
    this.#exact.find(value, found);
  }

  /** Finds by an address in any case and by its domain. */
  findAddress(address: string, found: Held[]): void {
    if (this.#all.size === 0) return;
    this.find(address.toLowerCase(), found);
    const domain = this.#domains.size === 0 ? undefined : domainOf(address);
    if (domain !== undefined) this.#domains.find(domain, found);
  }
}

/**
 * Finds rules by sender, recipient or subject, whichever they say exactly, so that their number does not matter. Only
 * rules that say none of it are asked one by one.
 */
export class RuleIndex extends ComposedIndex<MailMessage, CompiledRule> {
  readonly #from = new FieldIndex();
  readonly #to = new FieldIndex();
  readonly #subject = new FieldIndex();
  readonly #others = new ExactIndex<undefined, Held>();

  find(message: MailMessage, found: Held[]): void {
    this.#from.findAddress(message.from, found);
    const { recipients } = message;
    if (recipients === undefined) this.#to.findAll(found);
    else this.#findRecipients(recipients, found);
    if (!message.isComplete) this.#subject.findAll(found);
    else if (message.subject !== undefined) this.#subject.find(message.subject, found);
    this.#others.find(undefined, found);
  }

  /** Whether some rule, in whatever place, can refuse the recipient at once. */
  canRefuse(from: string, recipient: string): boolean {
    const found: Held[] = [];
    this.#others.find(undefined, found);
    this.#from.findAddress(from, found);
    this.#to.findAddress(recipient, found);
    return found.some((held) => listMocks(held).some(({ compiled }) => compiled.refusesEarly));
  }

  /** Whether some rule, in whatever place, may ask for the texts of a mail that has come. */
  asksForTexts(message: MailMessage): boolean {
    const found: Held[] = [];
    this.find(message, found);
    return found.some((held) => listMocks(held).some(({ compiled }) => compiled.asksForTexts));
  }

  protected change({ fromHint, toHint, subjectHint }: CompiledRule, change: Change<Held>): void {
    if (fromHint !== undefined) this.#from.change(fromHint, change);
    else if (toHint !== undefined) this.#to.change(toHint, change);
    else if (subjectHint !== undefined) this.#subject.change(subjectHint, change);
    else this.#others.change(undefined, change);
  }

  #findRecipients(recipients: readonly string[], found: Held[]): void {
    if (recipients.length === 1) {
      this.#to.findAddress(recipients[0] ?? '', found);
      return;
    }
    // Two recipients of one domain would bring the same rules twice.
    const all: Held[] = [];
    for (const recipient of recipients) this.#to.findAddress(recipient, all);
    for (const held of new Set(all)) found.push(held);
  }
}

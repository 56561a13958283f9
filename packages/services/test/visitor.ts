/** A page, as far as tests look at it. */
export interface Page {
  readonly status: number;
  readonly text: string;
  /** Where the form of the page goes. */
  readonly action: string;
  /** The hidden fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A browser without scripts: it keeps cookies, follows redirects of one host, and fills in forms. */
export class Visitor {
  readonly #cookies = new Map<string, string>();

  /** Opens a page. */
  async open(url: URL, form?: Readonly<Record<string, string>>): Promise<Page> {
    const answer = await this.#ask(url, form);
    if (typeof answer === 'string') throw new Error(`the page ${url.href} leads away to ${answer}`);
    return answer;
  }

  /** Opens a page that leads away. @returns where to */
  async follow(url: URL, form?: Readonly<Record<string, string>>): Promise<URL> {
    const answer = await this.#ask(url, form);
    if (typeof answer !== 'string')
      throw new Error(`the page ${url.href} does not lead away: ${answer.text}`);
    return new URL(answer);
  }

  submit(page: Page, values: Readonly<Record<string, string>>): Promise<Page> {
    return this.open(new URL(page.action), { ...page.fields, ...values });
  }

  submitAndLeave(page: Page, values: Readonly<Record<string, string>>): Promise<URL> {
    return this.follow(new URL(page.action), { ...page.fields, ...values });
  }

  async #ask(url: URL, form: Readonly<Record<string, string>> | undefined): Promise<Page | string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    if (location !== null) {
      const next = new URL(location, url);
      return next.origin === url.origin ? this.#ask(next, undefined) : next.href;
    }
    const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    return {
      status: response.status,
      text,
      action: new URL(unescape(/<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? ''), url).href,
      fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, unescape(value)])),
    };
  }
}

function unescape(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

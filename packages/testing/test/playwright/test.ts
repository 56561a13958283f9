import { expect as base, test as plain } from '@playwright/test';
import { matchers, withBacklot } from '../../src/playwright.js';

export const expect = base.extend(matchers);

const PAGE = `<!doctype html><title>Shop</title><button onclick="
  fetch('/orders', { method: 'POST' }).then((answer) => answer.text()).then((text) => { document.title = text; })
">Order</button>`;

/** Each test has a space of its own. */
export const test = withBacklot(plain, {
  protocols: ['http'],
  async setup({ http: web }) {
    const headers = { 'Content-Type': 'text/html' };
    await web.mock({ id: 'page', request: { path: '/' }, response: { headers, body: PAGE } });
  },
});

/** The tests of a worker share one. */
export const shared = withBacklot(plain, { protocols: ['http'], scope: 'worker' });

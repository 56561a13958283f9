export { createPage, type PageHandler } from './page.js';

export { graphql } from './plugin.js';

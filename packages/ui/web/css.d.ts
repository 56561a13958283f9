// Styles are imported for what they do: the build takes them.
declare module '*.css';

// The packages that have the types are installed only where codemirror.js is built.
export const CodeMirror: any;

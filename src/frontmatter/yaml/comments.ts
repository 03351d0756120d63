import { Lexer } from 'yaml'

/** Returns the comments of YAML text in their order, each from its `#` on. */
export function yamlComments(text: string): string[] {
  const tokens = [...new Lexer().lex(text)]
  // What follows U+001F is a value, whatever it begins with.
  return tokens.filter((token, at) => token.startsWith('#') && tokens[at - 1] !== '\u001f').map((token) => token.trim())
}

const MODULE_LINE = /^(?:import\s+['"]|import\s.*\sfrom\s+['"]|export\s+(?:const|let|default|function|async)\s)/

/**
 * Returns a text without the `import` and `export` lines that an MDX file begins with: they are code, each block ending at a
 * blank line, and no part of the text.
 */
export function withoutModuleLines(text: string): string {
  const blocks = /^\s*(?:import|export)\s/.test(text) ? text.trimStart().split(/\n[ \t]*\n/) : undefined
  if (blocks === undefined) return text
  const first = blocks.findIndex((block) => !MODULE_LINE.test(block.trimStart().split('\n', 1)[0] ?? ''))
  return first < 0 ? '' : blocks.slice(first).join('\n\n')
}

/** Returns the word for one record of a type, as far as its label tells: "Posts" are each a "post". */
export function singularOf(label: string): string {
  const word = label.toLowerCase()
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

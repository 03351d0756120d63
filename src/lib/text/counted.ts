/** `1 record`, `1,234 records`; `1 file is`, `2 files are` where `many` says what more than one are. */
export function counted(n: number, what: string, many: string = `${what}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? what : many}`
}

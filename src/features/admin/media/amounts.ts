const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Tells a number of bytes in few words: "148 kB", "1.2 MB". */
export function sizeText(bytes: number, locale: string): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1000 ** step
  const digits = step > 1 && amount < 100 ? 1 : 0
  const unit = bytes === 1 ? 'byte' : UNITS[step]
  return `${amount.toLocaleString(locale, { maximumFractionDigits: digits })} ${unit}`
}

/** Tells seconds as a clock does: "0:42", "1:02:03". */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** Tells a number of things: "1 file", "3,482 files". */
export function countText(number: number, one: string, locale: string): string {
  return `${number.toLocaleString(locale)} ${one}${number === 1 ? '' : 's'}`
}

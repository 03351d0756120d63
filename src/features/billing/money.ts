/** The currencies whose minor unit is no hundredth (ISO 4217), by the number of its decimals. */
const EXPONENTS: Readonly<Record<string, number>> = {
  ...decimals(0, 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'),
  ...decimals(3, 'bhd iqd jod kwd lyd omr tnd'),
  ...decimals(4, 'clf uyw'),
}

/** Decimals of a percentage that count. */
const PERCENT_DECIMALS = 6

/** Returns the number of decimals of a currency (ISO 4217, in any case): 2 of EUR, 0 of JPY, 3 of KWD. */
export function exponentOf(currency: string): number {
  return EXPONENTS[currency.toLowerCase()] ?? 2
}

/** Returns an amount of minor units as a decimal: 900 of EUR is `9.00`. */
export function decimalOf(amount: number, currency: string): string {
  const exponent = exponentOf(currency)
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0')
  const whole = digits.slice(0, digits.length - exponent)
  return `${amount < 0 ? '-' : ''}${whole}${exponent > 0 ? `.${digits.slice(-exponent)}` : ''}`
}

/** Returns an amount of minor units as people of a locale read it, every digit of it exact. */
export function moneyText(amount: number, currency: string, locale: string): string {
  const digits = exponentOf(currency)
  const shape = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  // A number has no room for the cents of large amounts; a decimal text is formatted as it is.
  return new Intl.NumberFormat(locale, shape).format(decimalOf(amount, currency) as Intl.StringNumericLiteral)
}

/** Returns the tax on an amount that is not negative, in minor units, rounded half up; `percent` is taken to six decimals. */
export function taxOn(subtotal: number, percent: number): number {
  const scaled = BigInt(percent.toFixed(PERCENT_DECIMALS).replace('.', ''))
  const hundred = 100n * 10n ** BigInt(PERCENT_DECIMALS)
  return Number((BigInt(subtotal) * scaled * 2n + hundred) / (hundred * 2n))
}

function decimals(exponent: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, exponent]))
}

import { IsISO8601, IsUUID, ValidateIf } from 'class-validator';

/** Payload of `order_timeout`, in version 2. */
export class OrderTimeoutPayload {
  @IsUUID()
  readonly orderId!: string;

  /** The end of the time to pay, as it was told to the customer; null in tasks from before version 2. */
  @ValidateIf((_, value) => value !== null)
  @IsISO8601()
  readonly payBefore!: string | null;
}

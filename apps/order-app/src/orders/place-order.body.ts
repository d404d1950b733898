import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsString, Length, Max, Min } from 'class-validator';

/** Body of `POST /orders`. */
export class PlaceOrderBody {
  @ApiProperty({ example: 'TEA-GREEN', minLength: 1, maxLength: 40 })
  @IsString()
  @Length(1, 40)
  readonly sku!: string;

  @ApiProperty({ type: 'integer', example: 2, minimum: 1, maximum: 1_000 })
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly quantity!: number;
}

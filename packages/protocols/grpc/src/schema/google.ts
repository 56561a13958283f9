const proto3 = (text: string): string => `syntax = "proto3"; package google.protobuf; ${text}`;

/** What `google/protobuf/*.proto` define, as the protobuf language has them. */
export const GOOGLE_PROTOS: Readonly<Record<string, string>> = {
  'google/protobuf/any.proto': proto3('message Any { string type_url = 1; bytes value = 2; }'),
  'google/protobuf/duration.proto': proto3('message Duration { int64 seconds = 1; int32 nanos = 2; }'),
  'google/protobuf/timestamp.proto': proto3('message Timestamp { int64 seconds = 1; int32 nanos = 2; }'),
  'google/protobuf/empty.proto': proto3('message Empty {}'),
  'google/protobuf/field_mask.proto': proto3('message FieldMask { repeated string paths = 1; }'),
  'google/protobuf/source_context.proto': proto3('message SourceContext { string file_name = 1; }'),
  'google/protobuf/wrappers.proto': proto3(
    [
      ['Double', 'double'],
      ['Float', 'float'],
      ['Int64', 'int64'],
      ['UInt64', 'uint64'],
      ['Int32', 'int32'],
      ['UInt32', 'uint32'],
      ['Bool', 'bool'],
      ['String', 'string'],
      ['Bytes', 'bytes'],
    ]
      .map(([name, type]) => `message ${name}Value { ${type} value = 1; }`)
      .join(' '),
  ),
  'google/protobuf/struct.proto': proto3(`
    message Struct { map<string, Value> fields = 1; }
    message Value {
      oneof kind {
        NullValue null_value = 1;
        double number_value = 2;
        string string_value = 3;
        bool bool_value = 4;
        Struct struct_value = 5;
        ListValue list_value = 6;
      }
    }
    enum NullValue { NULL_VALUE = 0; }
    message ListValue { repeated Value values = 1; }`),
  'google/protobuf/type.proto': proto3(`
    import "google/protobuf/any.proto";
    import "google/protobuf/source_context.proto";
    message Type {
      string name = 1;
      repeated Field fields = 2;
      repeated string oneofs = 3;
      repeated Option options = 4;
      SourceContext source_context = 5;
      Syntax syntax = 6;
      string edition = 7;
    }
    message Field {
      enum Kind {
        TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4; TYPE_INT32 = 5;
        TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11;
        TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16;
        TYPE_SINT32 = 17; TYPE_SINT64 = 18;
      }
      enum Cardinality {
        CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1; CARDINALITY_REQUIRED = 2; CARDINALITY_REPEATED = 3;
      }
      Kind kind = 1;
      Cardinality cardinality = 2;
      int32 number = 3;
      string name = 4;
      string type_url = 6;
      int32 oneof_index = 7;
      bool packed = 8;
      repeated Option options = 9;
      string json_name = 10;
      string default_value = 11;
    }
    message Enum {
      string name = 1;
      repeated EnumValue enumvalue = 2;
      repeated Option options = 3;
      SourceContext source_context = 4;
      Syntax syntax = 5;
      string edition = 6;
    }
    message EnumValue { string name = 1; int32 number = 2; repeated Option options = 3; }
    message Option { string name = 1; Any value = 2; }
    enum Syntax { SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2; }`),
  'google/protobuf/api.proto': proto3(`
    import "google/protobuf/source_context.proto";
    import "google/protobuf/type.proto";
    message Api {
      string name = 1;
      repeated Method methods = 2;
      repeated Option options = 3;
      string version = 4;
      SourceContext source_context = 5;
      repeated Mixin mixins = 6;
      Syntax syntax = 7;
    }
    message Method {
      string name = 1;
      string request_type_url = 2;
      bool request_streaming = 3;
      string response_type_url = 4;
      bool response_streaming = 5;
      repeated Option options = 6;
      Syntax syntax = 7;
    }
    message Mixin { string name = 1; string root = 2; }`),
  'google/protobuf/descriptor.proto': `
    syntax = "proto2";
    package google.protobuf;
    message FileDescriptorSet { repeated FileDescriptorProto file = 1; }
    enum Edition {
      EDITION_UNKNOWN = 0; EDITION_LEGACY = 900; EDITION_PROTO2 = 998; EDITION_PROTO3 = 999;
      EDITION_2023 = 1000; EDITION_2024 = 1001;
    }
    message FileDescriptorProto {
      optional string name = 1;
      optional string package = 2;
      repeated string dependency = 3;
      repeated int32 public_dependency = 10;
      repeated int32 weak_dependency = 11;
      repeated DescriptorProto message_type = 4;
      repeated EnumDescriptorProto enum_type = 5;
      repeated ServiceDescriptorProto service = 6;
      repeated FieldDescriptorProto extension = 7;
      optional FileOptions options = 8;
      optional SourceCodeInfo source_code_info = 9;
      optional string syntax = 12;
      optional Edition edition = 14;
    }
    message DescriptorProto {
      optional string name = 1;
      repeated FieldDescriptorProto field = 2;
      repeated FieldDescriptorProto extension = 6;
      repeated DescriptorProto nested_type = 3;
      repeated EnumDescriptorProto enum_type = 4;
      message ExtensionRange {
        optional int32 start = 1;
        optional int32 end = 2;
        optional ExtensionRangeOptions options = 3;
      }
      repeated ExtensionRange extension_range = 5;
      repeated OneofDescriptorProto oneof_decl = 8;
      optional MessageOptions options = 7;
      message ReservedRange { optional int32 start = 1; optional int32 end = 2; }
      repeated ReservedRange reserved_range = 9;
      repeated string reserved_name = 10;
    }
    message ExtensionRangeOptions { extensions 1000 to max; }
    message FieldDescriptorProto {
      enum Type {
        TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4; TYPE_INT32 = 5; TYPE_FIXED64 = 6;
        TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11; TYPE_BYTES = 12;
        TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16; TYPE_SINT32 = 17;
        TYPE_SINT64 = 18;
      }
      enum Label { LABEL_OPTIONAL = 1; LABEL_REPEATED = 3; LABEL_REQUIRED = 2; }
      optional string name = 1;
      optional int32 number = 3;
      optional Label label = 4;
      optional Type type = 5;
      optional string type_name = 6;
      optional string extendee = 2;
      optional string default_value = 7;
      optional int32 oneof_index = 9;
      optional string json_name = 10;
      optional FieldOptions options = 8;
      optional bool proto3_optional = 17;
    }
    message OneofDescriptorProto { optional string name = 1; optional OneofOptions options = 2; }
    message EnumDescriptorProto {
      optional string name = 1;
      repeated EnumValueDescriptorProto value = 2;
      optional EnumOptions options = 3;
      message EnumReservedRange { optional int32 start = 1; optional int32 end = 2; }
      repeated EnumReservedRange reserved_range = 4;
      repeated string reserved_name = 5;
    }
    message EnumValueDescriptorProto {
      optional string name = 1;
      optional int32 number = 2;
      optional EnumValueOptions options = 3;
    }
    message ServiceDescriptorProto {
      optional string name = 1;
      repeated MethodDescriptorProto method = 2;
      optional ServiceOptions options = 3;
    }
    message MethodDescriptorProto {
      optional string name = 1;
      optional string input_type = 2;
      optional string output_type = 3;
      optional MethodOptions options = 4;
      optional bool client_streaming = 5 [default = false];
      optional bool server_streaming = 6 [default = false];
    }
    message FileOptions {
      enum OptimizeMode { SPEED = 1; CODE_SIZE = 2; LITE_RUNTIME = 3; }
      optional string java_package = 1;
      optional string java_outer_classname = 8;
      optional bool java_multiple_files = 10;
      optional OptimizeMode optimize_for = 9;
      optional string go_package = 11;
      optional bool deprecated = 23;
      optional FeatureSet features = 50;
      extensions 1000 to max;
    }
    message MessageOptions {
      optional bool message_set_wire_format = 1;
      optional bool deprecated = 3;
      optional bool map_entry = 7;
      optional FeatureSet features = 12;
      extensions 1000 to max;
    }
    message FieldOptions {
      enum CType { STRING = 0; CORD = 1; STRING_PIECE = 2; }
      enum JSType { JS_NORMAL = 0; JS_STRING = 1; JS_NUMBER = 2; }
      optional CType ctype = 1;
      optional bool packed = 2;
      optional JSType jstype = 6;
      optional bool lazy = 5;
      optional bool deprecated = 3;
      optional FeatureSet features = 21;
      extensions 1000 to max;
    }
    message OneofOptions { optional FeatureSet features = 1; extensions 1000 to max; }
    message EnumOptions {
      optional bool allow_alias = 2;
      optional bool deprecated = 3;
      optional FeatureSet features = 7;
      extensions 1000 to max;
    }
    message EnumValueOptions {
      optional bool deprecated = 1;
      optional FeatureSet features = 2;
      extensions 1000 to max;
    }
    message ServiceOptions {
      optional FeatureSet features = 34;
      optional bool deprecated = 33;
      extensions 1000 to max;
    }
    message MethodOptions {
      enum IdempotencyLevel { IDEMPOTENCY_UNKNOWN = 0; NO_SIDE_EFFECTS = 1; IDEMPOTENT = 2; }
      optional bool deprecated = 33;
      optional IdempotencyLevel idempotency_level = 34;
      optional FeatureSet features = 35;
      extensions 1000 to max;
    }
    message FeatureSet {
      enum FieldPresence { FIELD_PRESENCE_UNKNOWN = 0; EXPLICIT = 1; IMPLICIT = 2; LEGACY_REQUIRED = 3; }
      enum EnumType { ENUM_TYPE_UNKNOWN = 0; OPEN = 1; CLOSED = 2; }
      enum RepeatedFieldEncoding { REPEATED_FIELD_ENCODING_UNKNOWN = 0; PACKED = 1; EXPANDED = 2; }
      enum Utf8Validation { UTF8_VALIDATION_UNKNOWN = 0; VERIFY = 2; NONE = 3; }
      enum MessageEncoding { MESSAGE_ENCODING_UNKNOWN = 0; LENGTH_PREFIXED = 1; DELIMITED = 2; }
      optional FieldPresence field_presence = 1;
      optional EnumType enum_type = 2;
      optional RepeatedFieldEncoding repeated_field_encoding = 3;
      optional Utf8Validation utf8_validation = 4;
      optional MessageEncoding message_encoding = 5;
      extensions 1000 to max;
    }
    message SourceCodeInfo {
      message Location {
        repeated int32 path = 1 [packed = true];
        repeated int32 span = 2 [packed = true];
        optional string leading_comments = 3;
        optional string trailing_comments = 4;
        repeated string leading_detached_comments = 6;
      }
      repeated Location location = 1;
    }`,
};

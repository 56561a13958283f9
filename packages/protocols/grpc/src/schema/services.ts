/** The services that the server has of its own, in the words of their specifications. */
export const OWN_PROTOS: Readonly<Record<string, string>> = {
  'grpc/health/v1/health.proto': `
    syntax = "proto3";
    package grpc.health.v1;
    message HealthCheckRequest { string service = 1; }
    message HealthCheckResponse {
      enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
      ServingStatus status = 1;
    }
    message HealthListRequest {}
    message HealthListResponse { map<string, HealthCheckResponse> statuses = 1; }
    service Health {
      rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
      rpc List(HealthListRequest) returns (HealthListResponse);
      rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
    }`,
  'grpc/reflection/v1/reflection.proto': reflection('v1'),
  'grpc/reflection/v1alpha/reflection.proto': reflection('v1alpha'),
};

function reflection(version: string): string {
  return `
    syntax = "proto3";
    package grpc.reflection.${version};
    service ServerReflection {
      rpc ServerReflectionInfo(stream ServerReflectionRequest) returns (stream ServerReflectionResponse);
    }
    message ServerReflectionRequest {
      string host = 1;
      oneof message_request {
        string file_by_filename = 3;
        string file_containing_symbol = 4;
        ExtensionRequest file_containing_extension = 5;
        string all_extension_numbers_of_type = 6;
        string list_services = 7;
      }
    }
    message ExtensionRequest { string containing_type = 1; int32 extension_number = 2; }
    message ServerReflectionResponse {
      string valid_host = 1;
      ServerReflectionRequest original_request = 2;
      oneof message_response {
        FileDescriptorResponse file_descriptor_response = 4;
        ExtensionNumberResponse all_extension_numbers_response = 5;
        ListServiceResponse list_services_response = 6;
        ErrorResponse error_response = 7;
      }
    }
    message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
    message ExtensionNumberResponse { string base_type_name = 1; repeated int32 extension_number = 2; }
    message ListServiceResponse { repeated ServiceResponse service = 1; }
    message ServiceResponse { string name = 1; }
    message ErrorResponse { int32 error_code = 1; string error_message = 2; }`;
}

/** The error details that every gRPC client library knows, and the message that carries them. */
export const ERROR_PROTOS: Readonly<Record<string, string>> = {
  'google/rpc/status.proto': `
    syntax = "proto3";
    package google.rpc;
    import "google/protobuf/any.proto";
    message Status { int32 code = 1; string message = 2; repeated google.protobuf.Any details = 3; }`,
  'google/rpc/error_details.proto': `
    syntax = "proto3";
    package google.rpc;
    import "google/protobuf/duration.proto";
    message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
    message RetryInfo { google.protobuf.Duration retry_delay = 1; }
    message DebugInfo { repeated string stack_entries = 1; string detail = 2; }
    message QuotaFailure {
      message Violation { string subject = 1; string description = 2; }
      repeated Violation violations = 1;
    }
    message PreconditionFailure {
      message Violation { string type = 1; string subject = 2; string description = 3; }
      repeated Violation violations = 1;
    }
    message BadRequest {
      message FieldViolation {
        string field = 1;
        string description = 2;
        string reason = 3;
        LocalizedMessage localized_message = 4;
      }
      repeated FieldViolation field_violations = 1;
    }
    message RequestInfo { string request_id = 1; string serving_data = 2; }
    message ResourceInfo {
      string resource_type = 1;
      string resource_name = 2;
      string owner = 3;
      string description = 4;
    }
    message Help {
      message Link { string description = 1; string url = 2; }
      repeated Link links = 1;
    }
    message LocalizedMessage { string locale = 1; string message = 2; }`,
};
